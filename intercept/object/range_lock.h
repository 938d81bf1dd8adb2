// SPDX-License-Identifier: Apache-2.0
// Internals of RangeLock, shared with Storage's destructor only.
#pragma once

#include "intercept/object/storage.h"

namespace skmd::icd {

struct RangeLock::Entry {
  std::vector<Claim> claims;
  Device* chain = nullptr;  // the command is, or will be, on this device's in-order queue and nowhere else
};

/// One claim of a running command, as its root sees it.
struct Storage::Hold {
  const RangeLock::Entry* entry = nullptr;
  const Claim* claim = nullptr;
};

}  // namespace skmd::icd
