// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/recovery.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "intercept/object/mover.h"

namespace skmd::icd {

namespace {

/// Nobody else ends the launches in the list: what there is no memory for now is tried again.
template <class Step>
void insist(Step&& step) {
  constexpr std::chrono::milliseconds kPause{1};
  for (;; std::this_thread::sleep_for(kPause)) {
    try {
      return step();
    } catch (const std::bad_alloc&) {
    }
  }
}

}  // namespace

Recovery& Recovery::get() {
  static auto* recovery = new Recovery;
  return *recovery;
}

void Recovery::add(Machine& machine, Device& device, Redo redo) {
  {
    const MutexGuard lock(mutex_);
    jobs_.push_back({&device, std::move(redo)});
    // It may have ended well: whoever counts on it finds out by this.
    device.health()->failure_told();
    if (working_) return;
    working_ = true;
  }
  insist([&] { machine.executor->post([this] { work(); }); });
}

void Recovery::take_back(Device& device) {
  std::vector<std::function<void(Spoilt&)>> jobs;
  insist([&] {
    jobs.clear();
    const MutexGuard lock(mutex_);
    const auto open = [&](const Job& job) { return job.device == &device && !job.taken_back; };
    for (const Job& job : jobs_)
      if (open(job)) jobs.push_back(job.redo.take_back);
    for (Job& job : jobs_) job.taken_back = job.taken_back || open(job);
  });
  for (; !jobs.empty(); jobs.pop_back()) insist([&] { jobs.back()(spoilt_[&device]); });
}

std::ptrdiff_t Recovery::jobs_of(const Device& device) {
  const MutexGuard lock(mutex_);
  return std::count_if(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.device == &device; });
}

void Recovery::wait_for_followers(Device& device) {
  std::ptrdiff_t before = 0;
  do {
    before = jobs_of(device);
    // Whoever took ranges behind the failed launch has submitted after this, and ended after the empty batch.
    device.health()->wait_for_windows();
    insist([&] {
      BatchGroup group;
      group.submit(device, Batch{});
      (void)group.wait();
    });
    // Behind one that was added meanwhile, somebody may have submitted after the empty batch.
  } while (jobs_of(device) != before);
}

void Recovery::work() {
  for (;;) {
    Device* device = nullptr;
    {
      const MutexGuard lock(mutex_);
      if (jobs_.empty()) {
        working_ = false;
        return;
      }
      device = jobs_.front().device;
    }
    wait_for_followers(*device);
    take_back(*device);
    Job job;
    {
      const MutexGuard lock(mutex_);
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job.redo.again(spoilt_[device]);
    if (jobs_of(*device) == 0) spoilt_.erase(device);
  }
}

}  // namespace skmd::icd
