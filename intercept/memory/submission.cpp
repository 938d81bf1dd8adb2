// SPDX-License-Identifier: Apache-2.0
#include "intercept/memory/submission.h"

#include <thread>

#include "intercept/memory/memory_constants.h"

namespace skmd::icd {

using namespace tuning;

Submission::Submission(const std::vector<std::shared_ptr<Storage>>& roots) : roots_(roots) {
  for (int i = 0; i < kLockTries && !try_lock(); ++i) std::this_thread::yield();
}

void Submission::unlock() {
  for (; held_ > 0; --held_) roots_[held_ - 1]->move_mutex().unlock();
}

bool Submission::try_lock() {
  while (held_ < roots_.size() && roots_[held_]->move_mutex().try_lock()) ++held_;
  if (holds()) return true;
  unlock();
  return false;
}

}  // namespace skmd::icd
