// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/recovery.h"

#include <utility>

#include "intercept/object/mover.h"

namespace skmd::icd {

Recovery& Recovery::get() {
  static auto* recovery = new Recovery;
  return *recovery;
}

void Recovery::add(Machine& machine, Device& device, std::function<void()> again) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({&device, std::move(again)});
    if (working_) return;
    working_ = true;
  }
  machine.executor->post([this] { work(); });
}

void Recovery::work() {
  for (;;) {
    Device* device = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (jobs_.empty()) {
        working_ = false;
        return;
      }
      device = jobs_.front().device;
    }
    // Whoever took ranges behind the failed launch has submitted after this, and ended after the empty batch.
    device->health()->wait_for_windows();
    BatchGroup group;
    group.submit(*device, Batch{});
    (void)group.wait();
    Job job;
    {
      const std::lock_guard lock(mutex_);
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job.again();
  }
}

}  // namespace skmd::icd
