// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/native_builds.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <utility>

namespace skmd::icd {

NativeBuilds::NativeBuilds(std::vector<std::shared_ptr<NativeProgram>> programs, std::uint32_t first)
    : devices_(programs.size()),
      order_(programs.size()),
      record_writer_(std::make_shared<BuildRecord>(programs.size())),
      ended_(static_cast<std::uint32_t>(programs.size())) {
  std::iota(order_.begin(), order_.end(), 0u);
  if (first < order_.size()) std::rotate(order_.begin(), order_.begin() + first, order_.begin() + first + 1);
  for (std::uint32_t i = 0; i < programs.size(); ++i) {
    const bool built = programs[i] != nullptr;
    devices_[i].program = std::move(programs[i]);
    if (!built) devices_[i].failure = "it was not built there";
    devices_[i].stage = built ? Stage::built : Stage::failed;
    record_writer_->set(i, {built ? BuildState::built : BuildState::failed, devices_[i].failure});
  }
}

NativeBuilds::NativeBuilds(std::vector<std::uint32_t> order, Build build, Ended ended)
    : devices_(order.size()),
      order_(std::move(order)),
      build_(std::move(build)),
      told_of_(std::move(ended)),
      record_writer_(std::make_shared<BuildRecord>(devices_.size())) {}

NativeBuilds::~NativeBuilds() {
  for (std::uint32_t i = 0; i < devices_.size(); ++i)
    if (open(i)) tell(i, {devices_[i].wanted ? BuildState::dropped : BuildState::unneeded, {}});
}

void NativeBuilds::tell(std::uint32_t device, const BuildRecord::Entry& entry) noexcept {
  try {
    const bool late = told_.load(std::memory_order_relaxed);
    record_writer_->set(device, entry);
    if (told_of_) told_of_(device, entry, late);
  } catch (const std::exception&) {  // only the report is lost
  }
}

bool NativeBuilds::any_built() const {
  for (std::uint32_t i = 0; i < devices_.size(); ++i)
    if (built(i)) return true;
  return false;
}

bool NativeBuilds::under_way() const {
  for (std::uint32_t i = 0; i < devices_.size(); ++i)
    if (stage(i) == Stage::running) return true;
  return false;
}

std::shared_ptr<NativeProgram> NativeBuilds::program(std::uint32_t device) const {
  return built(device) ? devices_[device].program : nullptr;
}

std::string NativeBuilds::failure(std::uint32_t device) const {
  return failed(device) ? devices_[device].failure : std::string();
}

bool NativeBuilds::begin(std::uint32_t device) {
  const MutexGuard lock(mutex_);
  if (!open(device)) return false;
  devices_[device].stage.store(Stage::running, std::memory_order_release);
  if (std::exchange(devices_[device].wanted, false)) wanted_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

void NativeBuilds::end(std::uint32_t device, Made made, double seconds) {
  const bool good = made.program != nullptr;
  BuildRecord::Entry entry{good ? BuildState::built : BuildState::failed, made.failure, seconds};
  // Reported first: a thread that sees the end finds it in the record.
  tell(device, entry);
  const MutexGuard lock(mutex_);
  devices_[device].program = std::move(made.program);
  devices_[device].failure = std::move(made.failure);
  devices_[device].stage.store(good ? Stage::built : Stage::failed, std::memory_order_release);
  // After the stage: a thread that sees this number sees the ends that it counts.
  if (ended_.fetch_add(1, std::memory_order_acq_rel) + 1 == devices_.size()) build_ = nullptr;
  changed_.notify_all();
}

void NativeBuilds::run(std::uint32_t device) {
  if (!begin(device)) return;
  const auto start = std::chrono::steady_clock::now();
  Made made;
  try {
    record_writer_->set(device, {BuildState::building, {}});
    made = build_(device);
    if (made.program == nullptr && made.failure.empty()) made.failure = "the build failed";
  } catch (const std::exception& exception) {
    made = {nullptr, "exception"};
    try {
      made.failure = std::string("exception: ") + exception.what();
    } catch (const std::exception&) {  // the short one has to do
    }
  }
  end(device, std::move(made), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

void NativeBuilds::wait(std::uint32_t device) {
  if (!pending(device)) return;
  run(device);
  MutexLock lock(mutex_);
  changed_.wait(lock, [&] { return !pending(device); });
}

void NativeBuilds::wait_until(std::uint32_t device, std::chrono::steady_clock::time_point then) {
  if (!pending(device)) return;
  MutexLock lock(mutex_);
  // By the system's clock: older thread sanitizers do not know how to wait by the other.
  changed_.wait_until(lock, std::chrono::system_clock::now() + (then - std::chrono::steady_clock::now()),
                      [&] { return !pending(device); });
}

std::optional<std::uint32_t> NativeBuilds::first_built() {
  for (const std::uint32_t device : order_) {
    wait(device);
    if (built(device)) return device;
  }
  return std::nullopt;
}

bool NativeBuilds::wait_for_one(std::optional<std::chrono::milliseconds> longest) {
  MutexLock lock(mutex_);
  const auto known = [&] { return failed(order_.front()) || any_built(); };
  if (!longest) {
    changed_.wait(lock, known);
    return true;
  }
  // By the system's clock: older thread sanitizers do not know how to wait by the other.
  return changed_.wait_until(lock, std::chrono::system_clock::now() + *longest, known);
}

void NativeBuilds::wait_for_any() {
  MutexLock lock(mutex_);
  changed_.wait(lock, [&] { return any_built() || ended() == devices_.size(); });
}

void NativeBuilds::wait_for_wanted() {
  for (const std::uint32_t device : order_) {
    bool wanted = false;
    {
      const MutexGuard lock(mutex_);
      wanted = devices_[device].wanted || !open(device);
    }
    if (wanted) wait(device);
  }
}

bool NativeBuilds::want(std::uint32_t device) {
  const MutexGuard lock(mutex_);
  if (!open(device) || std::exchange(devices_[device].wanted, true)) return false;
  wanted_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void NativeBuilds::unwant(std::uint32_t device) {
  const MutexGuard lock(mutex_);
  if (std::exchange(devices_[device].wanted, false)) wanted_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace skmd::icd
