// SPDX-License-Identifier: Apache-2.0
// One application from its first call to its last, using everything that makes the driver call a vendor.
#pragma once

#include <string>

namespace skmd::test {

struct Outcome {
  bool good = false;       // every result right or its error specified
  std::size_t errors = 0;  // calls and events that ended with one
};

/// Continues after any failure with the objects that are left. Releases everything it made.
Outcome run_session();

}  // namespace skmd::test
