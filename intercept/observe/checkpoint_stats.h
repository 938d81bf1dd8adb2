// SPDX-License-Identifier: Apache-2.0
// What the statistics say of launches that were kept in files.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "intercept/observe/observer.h"

namespace skmd::icd {

class CheckpointStats {
 public:
  /// The last kKept are kept.
  void add(const CheckpointReport& report);
  /// The document's member "checkpoints", the oldest first.
  void append(std::string& out) const;

  /// Source: chosen: an hour's, if there is one a minute.
  static constexpr std::size_t kKept = 64;
  /// Characters that the member may grow by: two numbers and their keys each.
  static constexpr std::size_t kBound = kKept * (2 * 24 + 32);

 private:
  std::deque<CheckpointReport> last_;
};

}  // namespace skmd::icd
