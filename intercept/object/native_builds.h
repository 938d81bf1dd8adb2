// SPDX-License-Identifier: Apache-2.0
// One program on its way to every device: which builds have ended, which are running, which have not begun.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/observe/observer.h"
#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// What a build came to on each device, for people. Outlives the program. Thread-safe.
class BuildRecord {
 public:
  struct Entry {
    BuildState state = BuildState::waiting;
    std::string reason;  // of a failure
    double seconds = 0.0;
  };
  explicit BuildRecord(std::size_t devices) : entries_(devices) {}
  void set(std::uint32_t device, Entry entry) {
    const MutexGuard lock(mutex_);
    entries_[device] = std::move(entry);
  }
  [[nodiscard]] std::vector<Entry> entries() const {
    const MutexGuard lock(mutex_);
    return entries_;
  }

 private:
  mutable Mutex mutex_{LockRank::build_record};
  std::vector<Entry> entries_ SKMD_GUARDED_BY(mutex_);
};

/// Each device's build is begun at most once: by a thread of the build queue, or by a thread that needs the device and
/// runs the build itself. A build that has not begun when this object goes is never made. Thread-safe.
class NativeBuilds {
 public:
  struct Made {
    std::shared_ptr<NativeProgram> program;  // null: it failed
    std::string failure;                     // why; never empty then
  };
  /// Called on any thread, at most once for each device; may be called after the maker of this object has returned, so
  /// it owns what it uses.
  using Build = std::function<Made(std::uint32_t device)>;
  /// Told once of each device's end, on the thread that built or gave up; throws nothing.
  using Ended = std::function<void(std::uint32_t device, const BuildRecord::Entry& entry, bool late)>;

  /// What is built already; null: it failed there. `first`: the order's.
  explicit NativeBuilds(std::vector<std::shared_ptr<NativeProgram>> programs, std::uint32_t first = 0);
  /// Nothing is begun. `order`: every device once, those that the program needs most first.
  NativeBuilds(std::vector<std::uint32_t> order, Build build, Ended ended = {});
  ~NativeBuilds();
  NativeBuilds(const NativeBuilds&) = delete;
  NativeBuilds& operator=(const NativeBuilds&) = delete;

  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }
  [[nodiscard]] bool built(std::uint32_t device) const { return stage(device) == Stage::built; }
  [[nodiscard]] bool failed(std::uint32_t device) const { return stage(device) == Stage::failed; }
  /// Not begun, or not ended.
  [[nodiscard]] bool pending(std::uint32_t device) const { return stage(device) < Stage::built; }
  /// Not begun.
  [[nodiscard]] bool open(std::uint32_t device) const { return stage(device) == Stage::open; }
  /// Some device's build has begun and not ended.
  [[nodiscard]] bool under_way() const;
  /// How many builds have ended: while it stays the same, so does what is built.
  [[nodiscard]] std::uint32_t ended() const { return ended_.load(std::memory_order_acquire); }
  [[nodiscard]] bool any_built() const;
  /// Null unless built there.
  [[nodiscard]] std::shared_ptr<NativeProgram> program(std::uint32_t device) const;
  /// "" unless it failed there.
  [[nodiscard]] std::string failure(std::uint32_t device) const;
  [[nodiscard]] const std::shared_ptr<const BuildRecord>& record() const { return record_; }

  /// Builds for `device` on this thread, if that build has not begun. Blocks for as long as it takes.
  void run(std::uint32_t device);
  /// Blocks until the build for `device` has ended; runs it on this thread if it has not begun.
  void wait(std::uint32_t device);
  /// Blocks until the build for `device` has ended, or until then. Begins nothing.
  void wait_until(std::uint32_t device, std::chrono::steady_clock::time_point then);
  /// The first device of the order that is built, when all before it have failed: always the same one. Blocks; nothing
  /// where all failed. Devices behind it are not waited for.
  std::optional<std::uint32_t> first_built();
  /// Blocks until a device is built, or the order's first has failed; `longest`, if given, at most. False: neither has
  /// happened. Begins nothing, like wait_for_any().
  bool wait_for_one(std::optional<std::chrono::milliseconds> longest);
  /// Blocks until a device is built or all have failed.
  void wait_for_any();
  /// Blocks until all builds that were begun or wanted have ended; runs those on this thread that have not begun.
  void wait_for_wanted();

  /// Marks the build as wanted: it is in the build queue. False: it was already, or has begun.
  bool want(std::uint32_t device);
  /// It is there no more, and has not begun.
  void unwant(std::uint32_t device);
  /// Whether a wanted build has not begun. One relaxed load.
  [[nodiscard]] bool wants_more() const { return wanted_.load(std::memory_order_relaxed) > 0; }
  /// The call that began the builds has returned its result: `Ended` reports later failures as late.
  void told() { told_.store(true, std::memory_order_relaxed); }

 private:
  enum class Stage : std::uint8_t { open, running, built, failed };
  struct Device {
    std::atomic<Stage> stage{Stage::open};
    bool wanted = false;                     // guarded by mutex_, like what follows until the stage says the end
    std::shared_ptr<NativeProgram> program;  // built
    std::string failure;                     // failed
  };
  [[nodiscard]] Stage stage(std::uint32_t device) const {
    return devices_[device].stage.load(std::memory_order_acquire);
  }
  bool begin(std::uint32_t device);
  void end(std::uint32_t device, Made made, double seconds);
  void tell(std::uint32_t device, const BuildRecord::Entry& entry) noexcept;

  std::vector<Device> devices_;
  std::vector<std::uint32_t> order_;
  Build build_;
  Ended told_of_;
  const std::shared_ptr<BuildRecord> record_writer_;
  const std::shared_ptr<const BuildRecord> record_ = record_writer_;
  std::atomic<std::uint32_t> ended_{0};
  std::atomic<std::uint32_t> wanted_{0};  // not begun and wanted
  std::atomic<bool> told_{false};
  mutable Mutex mutex_{LockRank::native_builds};
  Condition changed_;
};

}  // namespace skmd::icd
