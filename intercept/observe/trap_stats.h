// SPDX-License-Identifier: Apache-2.0
// What the statistics say of the traps of checked kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "intercept/observe/observer.h"

namespace skmd::icd {

class TrapStats {
 public:
  /// Of the first kKept launches that had traps the first one is kept; all are counted.
  void add(const TrapReport& report);
  /// The document's member "traps".
  void append(std::string& out) const;

  /// Launches. Source: as many as the other lists of first failures have.
  static constexpr std::size_t kKept = 16;
  static constexpr std::size_t kName = 128;  // bytes of a kernel's or a file's name that are kept
  /// Characters that the member may grow by: each byte of a name may become six, and there are six numbers.
  static constexpr std::size_t kBound = kKept * (2 * 6 * kName + 6 * 24 + 128) + 2 * 24;

 private:
  std::uint64_t count_ = 0, never_ran_ = 0;
  std::vector<std::string> first_;  // JSON objects
};

}  // namespace skmd::icd
