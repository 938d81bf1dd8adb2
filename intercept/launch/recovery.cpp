// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/recovery.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "intercept/object/mover.h"

namespace skmd::icd {

Recovery& Recovery::get() {
  static auto* recovery = new Recovery;
  return *recovery;
}

void Recovery::add(Machine& machine, Device& device, Redo redo) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({&device, std::move(redo)});
    if (working_) return;
    working_ = true;
  }
  machine.executor->post([this] { work(); });
}

void Recovery::take_back(Device& device) {
  std::vector<std::function<void(Spoilt&)>> jobs;
  {
    const std::lock_guard lock(mutex_);
    for (Job& job : jobs_)
      if (job.device == &device && !std::exchange(job.taken_back, true)) jobs.push_back(job.redo.take_back);
  }
  for (; !jobs.empty(); jobs.pop_back()) jobs.back()(spoilt_[&device]);
}

bool Recovery::is_done_with(const Device* device) {
  const std::lock_guard lock(mutex_);
  return std::none_of(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.device == device; });
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
    take_back(*device);
    Job job;
    {
      const std::lock_guard lock(mutex_);
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job.redo.again(spoilt_[device]);
    if (is_done_with(device)) spoilt_.erase(device);
  }
}

}  // namespace skmd::icd
