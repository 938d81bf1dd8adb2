// SPDX-License-Identifier: Apache-2.0
// A write, read, copy or fill of the application's as one batch of one device, behind the commands on that device's
// queue: the host does not wait between a write, the launch that uses it and the read of its results.
#pragma once

#include <memory>
#include <vector>

#include "intercept/object/command.h"

namespace skmd::icd {

struct DeviceTransfer {
  enum class Kind : std::uint8_t { write, read, copy, fill };
  Kind kind = Kind::write;
  std::shared_ptr<Storage> root;
  domain::ByteRange range;
  std::byte* memory = nullptr;  // the application's, of the range's bytes; a write only reads it
  /// Of a copy: where its bytes are, apart from the range.
  std::shared_ptr<Storage> from = nullptr;
  std::uint64_t from_offset = 0;
  std::vector<std::byte> pattern = {};  // of a fill
};

/// As Command::start(). Declines transfers that are so small that host memory is cheaper, or so large that the caller
/// would copy for long (the application's memory not being page-locked); writes and fills unless a single device is
/// likely to use the bytes next; reads unless a single device, and no other memory, has all of them; copies unless a
/// device has all of them; and ranges that conflict with other commands. A transfer that fails on the device is done
/// again in host memory.
bool start_on_device(const DeviceTransfer& transfer, Device* behind, const Ref<Event>& event,
                     const std::shared_ptr<Command>& self);

}  // namespace skmd::icd
