// SPDX-License-Identifier: Apache-2.0
#include "intercept/memory/recovery.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "intercept/memory/memory_constants.h"
#include "intercept/memory/mover.h"

namespace skmd::icd {

namespace {

using namespace tuning;

/// Repeats `step` until there is memory for it: commands in the list are ended here and nowhere else.
template <class Step>
void insist(Step&& step) {
  for (;; std::this_thread::sleep_for(kMemoryPause)) {
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
    // The command's batch may have ended well: the failure epoch tells commands that rely on it that it runs again.
    device.health()->failure_told();
    if (working_) return;
    working_ = true;
  }
  insist([&] { machine.executor->post([this] { work(); }); });
}

void Recovery::take_back(Device& device) {
  std::vector<std::function<void(LostRanges&)>> jobs;
  insist([&] {
    jobs.clear();
    const MutexGuard lock(mutex_);
    const auto open = [&](const Job& job) { return job.device == &device && !job.taken_back; };
    for (const Job& job : jobs_)
      if (open(job)) jobs.push_back(job.redo.take_back);
    for (Job& job : jobs_) job.taken_back = job.taken_back || open(job);
  });
  for (; !jobs.empty(); jobs.pop_back()) insist([&] { jobs.back()(lost_ranges_[&device]); });
}

std::ptrdiff_t Recovery::jobs_of(const Device& device) {
  const MutexGuard lock(mutex_);
  return std::count_if(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.device == &device; });
}

void Recovery::wait_for_followers(Device& device) {
  std::ptrdiff_t before = 0;
  do {
    before = jobs_of(device);
    // Once these windows are closed, every command that took ranges behind the failed one has been submitted; it has
    // ended when the empty batch has.
    device.health()->wait_for_windows();
    insist([&] {
      BatchGroup group;
      group.submit(device, Batch{});
      (void)group.wait();
    });
    // Behind a job that was added meanwhile, a command may have been submitted after the empty batch.
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
    job.redo.again(lost_ranges_[device]);
    if (jobs_of(*device) == 0) lost_ranges_.erase(device);
  }
}

}  // namespace skmd::icd
