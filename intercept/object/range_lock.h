// SPDX-License-Identifier: Apache-2.0
// Internals of RangeLock, shared with Storage's destructor only.
#pragma once

#include "intercept/object/storage.h"

namespace skmd::icd {

struct RangeLock::Entry {
  std::vector<Claim> claims;
  Device* chain = nullptr;               // the command is, or will be, on this device's in-order queue and nowhere else
  std::vector<std::size_t> places = {};  // of each claim in its root's group, while held
};

/// The claims on one root of running commands with one `chain`. Thousands of launches may be on a device's queue, and
/// none of them is looked at when one more comes to the same queue.
struct Storage::HoldGroup {
  struct Hold {
    RangeLock::Entry* entry = nullptr;
    std::size_t claim = 0;
  };
  Device* chain = nullptr;
  std::vector<Hold> holds = {};
};

}  // namespace skmd::icd
