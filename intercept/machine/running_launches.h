// SPDX-License-Identifier: Apache-2.0
// The launches that are on devices now, so that they can be made to leave one: only where launches can be controlled
// (Machine::running). Which devices are stopped changes here and nowhere else.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "intercept/backend/port/stop_token.h"
#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"
#include "partitioner/base/result.h"

namespace skmd::icd {

struct Machine;
class RunningLaunches;

/// A slice of a launch, for as long as it has an owner.
struct RunningSlice {
  std::uint32_t device = 0;
  std::uint64_t groups = 0;
  std::shared_ptr<StopToken> token;  // null: it runs to its end
};

/// What came of RunningLaunches::move().
struct Moved {
  std::uint32_t launches = 0;  // of the kernel that ran
  std::uint64_t groups = 0;    // that had not run and go on on the device
};

/// What was written of a launch that was stopped for it.
struct Checkpoint {
  std::string kernel;
  std::string path;
  std::uint64_t bytes = 0;
  double seconds = 0;  // that the launch stood still for it: its buffers were brought to host memory, and written
};

/// One launch while it is, or may come, on devices. Thread-safe.
class RunningLaunch {
 public:
  ~RunningLaunch();
  RunningLaunch(const RunningLaunch&) = delete;
  RunningLaunch& operator=(const RunningLaunch&) = delete;

  /// Its slices are to end early, its ranges to be given back, and the rest to be begun anew.
  [[nodiscard]] bool asked() const { return asked_.load(std::memory_order_acquire); }
  /// Where the rest is to go on, if move() said so.
  [[nodiscard]] std::optional<std::uint32_t> target() const;
  /// It comes on this device, too. False: the device is stopped, or all are suspended. `anyhow`: it does in any case,
  /// since no other device can take it.
  bool extend(std::uint32_t device, bool anyhow = false);
  /// A slice begins. If the launch was asked() already, the token is requested.
  std::shared_ptr<RunningSlice> add(std::uint32_t device, std::uint64_t groups, std::shared_ptr<StopToken> token);
  /// Groups that have not run and will go on on target(), for move().
  void will_move(std::uint64_t groups);
  /// The file that is to be written once the launch has stopped, if checkpoint() said so; and what came of it.
  [[nodiscard]] std::optional<std::string> wanted_file() const;
  void written(domain::Result<Checkpoint> outcome);

 private:
  friend class RunningLaunches;
  RunningLaunch(RunningLaunches& owner, std::string kernel, std::uint64_t devices)
      : owner_(owner), kernel_(std::move(kernel)), devices_(devices) {}
  struct Order {
    std::uint32_t device = 0;
    std::uint32_t open = 0;  // launches that have not left yet
    Moved moved;
  };
  struct Writing {
    std::string path;
    std::optional<domain::Result<Checkpoint>> outcome;
  };
  /// With the owner's mutex.
  void ask();
  [[nodiscard]] bool may_stop() const;

  RunningLaunches& owner_;
  const std::string kernel_;
  std::atomic<bool> asked_{false};
  // Under the owner's mutex.
  std::uint64_t devices_;
  std::vector<std::weak_ptr<RunningSlice>> slices_;
  std::shared_ptr<Order> order_;
  std::shared_ptr<Writing> writing_;
};

/// One per machine, for the life of the process. Thread-safe. Locks: its mutex is a leaf.
class RunningLaunches {
 public:
  explicit RunningLaunches(Machine& machine) : machine_(machine) {}
  RunningLaunches(const RunningLaunches&) = delete;
  RunningLaunches& operator=(const RunningLaunches&) = delete;

  /// A launch of `kernel` comes on the devices of the mask. Null: one of them is stopped, or all are suspended.
  /// Precondition: the caller holds the launch's ranges. std::bad_alloc.
  std::unique_ptr<RunningLaunch> begin(std::string_view kernel, std::uint64_t devices);

  /// From now on the device gets no launch; those on it are asked to leave. Error: no other device would be left that
  /// works, or it is stopped already. Does not block.
  domain::Status stop(std::uint32_t device);
  /// The device gets launches again. Error: it was not stopped, or was set aside after a failure.
  domain::Status start(std::uint32_t device);
  /// The same of all devices at once. Error: they are already, or are not.
  domain::Status suspend();
  domain::Status resume();
  /// Bit d: device d was started again, so that programs may be missing there. Thread-safe, like the two below.
  [[nodiscard]] std::uint64_t restarted() const { return restarted_.load(std::memory_order_relaxed); }
  /// A program keeps something on one device from launch to launch: `home` says which, may block, and gives nothing
  /// once the program is gone.
  struct Keeper {
    std::string program;
    std::function<std::optional<std::uint32_t>()> home;
    std::function<bool()> lives;
  };
  void keeps(Keeper keeper);
  /// The programs that keep something on the device. Blocks while they are built.
  [[nodiscard]] std::vector<std::string> kept_on(std::uint32_t device);
  /// Asks all launches to give way once.
  void ask_all();
  /// Blocks until no launch is on these devices.
  void wait_until_off(std::uint64_t devices);
  /// Asks the launches of `kernel` to go on on `device`, and blocks until they have left where they were, or ended.
  Moved move(std::string_view kernel, std::uint32_t device);

  /// Whether there is one.
  [[nodiscard]] bool any() const {
    const MutexGuard lock(mutex_);
    return !launches_.empty();
  }
  /// Asks a running launch to stop, and blocks until its state is in the file of path_of(kernel): the one that began
  /// first of those that can be stopped now or, with `wait`, the one that began first of all, once it can be stopped.
  /// It goes on by itself. Error: there is no such launch, it left its devices before, its state cannot be kept, or
  /// another checkpoint is waited for; CL_OUT_OF_RESOURCES: the file cannot be written.
  domain::Result<Checkpoint> checkpoint(const std::function<std::string(const std::string& kernel)>& path_of,
                                        bool wait);

  /// A kernel, and groups of it that are running on each device.
  struct Running {
    std::string kernel;
    std::vector<std::uint64_t> groups;
  };
  [[nodiscard]] std::vector<Running> running() const;
  /// Launches that were asked to give way, and have not yet.
  [[nodiscard]] std::uint32_t being_asked() const;
  /// Launches that are on each device.
  [[nodiscard]] std::vector<std::uint32_t> launches() const;

 private:
  friend class RunningLaunch;
  [[nodiscard]] bool closed(std::uint64_t devices) const SKMD_REQUIRES(mutex_);

  Machine& machine_;
  mutable Mutex mutex_{LockRank::running_launches};
  Condition changed_;
  std::vector<RunningLaunch*> launches_ SKMD_GUARDED_BY(mutex_);
  std::vector<Keeper> keepers_ SKMD_GUARDED_BY(mutex_);
  bool writing_ SKMD_GUARDED_BY(mutex_) = false;
  std::atomic<std::uint64_t> restarted_{0};
};

}  // namespace skmd::icd
