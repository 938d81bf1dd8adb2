// SPDX-License-Identifier: Apache-2.0
// What the statistics say of the traps of checked kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "intercept/observe/observer.h"

namespace skmd::icd {

class TrapStats {
 public:
  /// Of the first kKept launches that had traps the first one is kept; all are counted.
  void add(const TrapReport& report);
  void add(const LeftReport& report);
  /// The document's member "traps".
  void append(std::string& out) const;

  /// Launches. Source: as many as the other lists of first failures have.
  static constexpr std::size_t kKept = 16;
  static constexpr std::size_t kName = 128;  // bytes of a kernel's or a file's name that are kept
  /// Characters that the member may grow by: each byte of a name may become six, and there are six numbers.
  static constexpr std::size_t kBound = kKept * (3 * 6 * kName + 7 * 24 + 128) + 4 * 24;

 private:
  std::uint64_t count_ = 0, never_ran_ = 0, left_items_ = 0, left_groups_ = 0;
  std::map<std::string, std::uint64_t> why_not_;  // launches in which some device had no part, by reason
  std::vector<std::string> first_;                // JSON objects
};

}  // namespace skmd::icd
