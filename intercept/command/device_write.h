// SPDX-License-Identifier: Apache-2.0
// A write of the application's as one batch of one device, behind whatever is on that device's queue: nobody waits for
// anything between a write and the launch that uses it.
#pragma once

#include <memory>

#include "intercept/object/command.h"

namespace skmd::icd {

struct DeviceWrite {
  std::shared_ptr<Storage> to;
  domain::ByteRange range;
  const std::byte* from = nullptr;  // the application's, until the event ends
};

/// As Command::start(). Declines where no one device is likely to use the bytes next, where they are so few that the
/// shadow is cheaper or so many that the caller would copy for long, and where their range is in use elsewhere. A write
/// that fails on the device is done again in host memory.
bool start_on_device(const DeviceWrite& write, Device* behind, const Ref<Event>& event,
                     const std::shared_ptr<Command>& self);

}  // namespace skmd::icd
