// SPDX-License-Identifier: Apache-2.0
// Batches reach a device in the order in which residency was changed for them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "intercept/memory/storage.h"

namespace skmd::icd {

/// The move mutexes of a command's roots, for a command that shares its ranges with what other threads submit to the
/// same device (RangeLock's chain): from when it looks at residency until its batch is submitted.
class Submission {
 public:
  /// `roots`: each once; outlives this. Does not block, apart from waiting for other submissions.
  explicit Submission(const std::vector<std::shared_ptr<Storage>>& roots);
  ~Submission() { unlock(); }
  Submission(const Submission&) = delete;
  Submission& operator=(const Submission&) = delete;
  /// False: another thread moves bytes of one of the roots, or submits for too long.
  [[nodiscard]] bool holds() const { return held_ == roots_.size(); }
  void unlock() SKMD_NOT_ANALYSED;  // one lock for each root

 private:
  bool try_lock() SKMD_NOT_ANALYSED;  // one lock for each root
  const std::vector<std::shared_ptr<Storage>>& roots_;
  std::size_t held_ = 0;
};

}  // namespace skmd::icd
