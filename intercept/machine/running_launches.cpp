// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/running_launches.h"

#include <algorithm>
#include <utility>

#include "intercept/machine/machine.h"

namespace skmd::icd {

namespace {

std::uint64_t bit_of(std::uint32_t device) { return std::uint64_t{1} << device; }

domain::Error refused(std::string reason) { return {CL_INVALID_OPERATION, std::move(reason)}; }

}  // namespace

RunningLaunch::~RunningLaunch() {
  {
    const MutexGuard lock(owner_.mutex_);
    std::erase(owner_.launches_, this);
    if (order_ != nullptr) --order_->open;
    if (writing_ != nullptr && !writing_->outcome)
      writing_->outcome = refused("the launch of " + kernel_ + " left its devices before it could be kept");
  }
  owner_.changed_.notify_all();
}

std::optional<std::uint32_t> RunningLaunch::target() const {
  const MutexGuard lock(owner_.mutex_);
  return order_ != nullptr ? std::optional(order_->device) : std::nullopt;
}

bool RunningLaunch::extend(std::uint32_t device, bool anyhow) {
  const MutexGuard lock(owner_.mutex_);
  if (!anyhow && owner_.closed(bit_of(device))) return false;
  devices_ |= bit_of(device);
  return true;
}

std::shared_ptr<RunningSlice> RunningLaunch::add(std::uint32_t device, std::uint64_t groups,
                                                 std::shared_ptr<StopToken> token) {
  auto slice = std::make_shared<RunningSlice>(RunningSlice{device, groups, std::move(token)});
  const MutexGuard lock(owner_.mutex_);
  std::erase_if(slices_, [](const auto& known) { return known.expired(); });
  slices_.push_back(slice);
  if (asked() && slice->token != nullptr) slice->token->request();
  return slice;
}

void RunningLaunch::will_move(std::uint64_t groups) {
  const MutexGuard lock(owner_.mutex_);
  if (order_ != nullptr) order_->moved.groups += groups;
}

std::optional<std::string> RunningLaunch::wanted_file() const {
  const MutexGuard lock(owner_.mutex_);
  return writing_ != nullptr && !writing_->outcome ? std::optional(writing_->path) : std::nullopt;
}

void RunningLaunch::written(domain::Result<Checkpoint> outcome) {
  {
    const MutexGuard lock(owner_.mutex_);
    if (writing_ != nullptr) writing_->outcome = std::move(outcome);
  }
  owner_.changed_.notify_all();
}

bool RunningLaunch::may_stop() const {
  return std::any_of(slices_.begin(), slices_.end(), [](const auto& known) {
    const auto slice = known.lock();
    return slice != nullptr && slice->token != nullptr;
  });
}

void RunningLaunch::ask() {
  asked_.store(true, std::memory_order_release);
  for (const auto& known : slices_)
    if (const auto slice = known.lock(); slice != nullptr && slice->token != nullptr) slice->token->request();
}

bool RunningLaunches::closed(std::uint64_t devices) const {
  return is_suspended(machine_) || (machine_.stopped.load(std::memory_order_relaxed) & devices) != 0;
}

std::unique_ptr<RunningLaunch> RunningLaunches::begin(std::string_view kernel, std::uint64_t devices) {
  std::unique_ptr<RunningLaunch> launch(new RunningLaunch(*this, std::string(kernel), devices));
  {
    const MutexGuard lock(mutex_);
    if (!closed(devices)) {
      launches_.push_back(launch.get());
      return launch;
    }
  }
  return nullptr;  // the destructor takes the mutex
}

domain::Status RunningLaunches::stop(std::uint32_t device) {
  const MutexGuard lock(mutex_);
  if (is_stopped(machine_, device)) return refused("it is stopped already");
  bool others = false;
  for (std::uint32_t i = 0; i < machine_.devices.size(); ++i)
    others = others || (i != device && !is_stopped(machine_, i) && !machine_.devices[i]->health()->aside());
  if (!others) return refused("it is the last device in use, and launches have to run somewhere");
  machine_.stopped.fetch_or(bit_of(device), std::memory_order_acq_rel);
  for (RunningLaunch* launch : launches_)
    if ((launch->devices_ & bit_of(device)) != 0) launch->ask();
  return {};
}

domain::Status RunningLaunches::start(std::uint32_t device) {
  const MutexGuard lock(mutex_);
  if (machine_.devices[device]->health()->aside())
    return refused("it was set aside after a failure, for the rest of the process");
  if (!is_stopped(machine_, device)) return refused("it is not stopped");
  restarted_.fetch_or(bit_of(device), std::memory_order_relaxed);
  machine_.stopped.fetch_and(~bit_of(device), std::memory_order_acq_rel);
  return {};
}

domain::Status RunningLaunches::suspend() {
  const MutexGuard lock(mutex_);
  if (is_suspended(machine_)) return refused("it is suspended already");
  machine_.suspended.store(true, std::memory_order_release);
  for (RunningLaunch* launch : launches_) launch->ask();
  return {};
}

domain::Status RunningLaunches::resume() {
  const MutexGuard lock(mutex_);
  if (!is_suspended(machine_)) return refused("it is not suspended");
  machine_.suspended.store(false, std::memory_order_release);
  return {};
}

void RunningLaunches::keeps(Keeper keeper) {
  const MutexGuard lock(mutex_);
  std::erase_if(keepers_, [](const Keeper& known) { return !known.lives(); });
  keepers_.push_back(std::move(keeper));
}

std::vector<std::string> RunningLaunches::kept_on(std::uint32_t device) {
  std::vector<Keeper> keepers;
  {
    const MutexGuard lock(mutex_);
    keepers = keepers_;
  }
  std::vector<std::string> programs;
  for (const Keeper& keeper : keepers)
    if (keeper.home() == device) programs.push_back(keeper.program);
  return programs;
}

void RunningLaunches::ask_all() {
  const MutexGuard lock(mutex_);
  for (RunningLaunch* launch : launches_) launch->ask();
}

void RunningLaunches::wait_until_off(std::uint64_t devices) {
  MutexLock lock(mutex_);
  changed_.wait(lock, [&]() SKMD_REQUIRES(mutex_) {
    return std::none_of(launches_.begin(), launches_.end(),
                        [&](const RunningLaunch* launch) { return (launch->devices_ & devices) != 0; });
  });
}

Moved RunningLaunches::move(std::string_view kernel, std::uint32_t device) {
  const auto order = std::make_shared<RunningLaunch::Order>();
  order->device = device;
  MutexLock lock(mutex_);
  for (RunningLaunch* launch : launches_) {
    if (launch->kernel_ != kernel || launch->order_ != nullptr) continue;
    launch->order_ = order;
    launch->ask();
    ++order->open;
    ++order->moved.launches;
  }
  changed_.wait(lock, [&] { return order->open == 0; });
  return order->moved;
}

domain::Result<Checkpoint> RunningLaunches::checkpoint(
    const std::function<std::string(const std::string& kernel)>& path_of, bool wait) {
  MutexLock lock(mutex_);
  if (writing_) return refused("another checkpoint is waited for");
  if (launches_.empty()) return refused("no launch is running");
  const auto found =
      std::find_if(launches_.begin(), launches_.end(), [](const RunningLaunch* launch) { return launch->may_stop(); });
  if (found == launches_.end() && !wait) return refused("no launch that runs can be stopped now");
  RunningLaunch& launch = **(found != launches_.end() ? found : launches_.begin());
  const auto writing = std::make_shared<RunningLaunch::Writing>();
  writing->path = path_of(launch.kernel_);
  writing_ = true;
  launch.writing_ = writing;
  launch.ask();
  changed_.wait(lock, [&] { return writing->outcome.has_value(); });
  writing_ = false;
  return std::move(*writing->outcome);
}

std::vector<RunningLaunches::Running> RunningLaunches::running() const {
  std::vector<Running> found;
  const MutexGuard lock(mutex_);
  for (const RunningLaunch* launch : launches_) {
    auto known =
        std::find_if(found.begin(), found.end(), [&](const Running& one) { return one.kernel == launch->kernel_; });
    if (known == found.end())
      known = found.insert(found.end(), {launch->kernel_, std::vector<std::uint64_t>(machine_.devices.size())});
    for (const auto& slice : launch->slices_)
      if (const auto alive = slice.lock()) known->groups[alive->device] += alive->groups;
  }
  return found;
}

std::uint32_t RunningLaunches::being_asked() const {
  const MutexGuard lock(mutex_);
  return static_cast<std::uint32_t>(
      std::count_if(launches_.begin(), launches_.end(), [](const RunningLaunch* launch) { return launch->asked(); }));
}

std::vector<std::uint32_t> RunningLaunches::launches() const {
  std::vector<std::uint32_t> counts(machine_.devices.size());
  const MutexGuard lock(mutex_);
  for (const RunningLaunch* launch : launches_)
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += (launch->devices_ >> i & 1) != 0 ? 1 : 0;
  return counts;
}

}  // namespace skmd::icd
