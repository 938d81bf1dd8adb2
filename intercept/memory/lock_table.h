// SPDX-License-Identifier: Apache-2.0
// Internals of RangeLock, shared with Storage's destructor only.
#pragma once

#include <span>
#include <vector>

#include "intercept/backend/port/recycled.h"
#include "intercept/memory/range_lock.h"
#include "intercept/memory/storage.h"
#include "partitioner/base/inline_vector.h"

namespace skmd::icd {

struct RangeLock::Entry : Recycled {
  std::vector<Claim> own;
  std::span<const Claim> claims;  // `own`, or claims that outlive the entry (try_take_kept())
  Device* chain = nullptr;        // the command is, or will be, on this device's in-order queue and nowhere else
  domain::InlineVector<std::size_t, 4> places = {};  // index of each claim in its root's HoldGroup, while held
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
