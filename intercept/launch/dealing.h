// SPDX-License-Identifier: Apache-2.0
// SKMD_PARTITION=dynamic: a launch whose slices are cut into chunks, each of which goes to the next device that is
// free.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/conductor.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"
#include "partitioner/base/mutex.h"
#include "partitioner/plan/chunks.h"

namespace skmd::icd {

/// The chunks of a launch; `touches[s][c]` is the footprint of slices[s].chunks[c].
struct Dealing {
  std::vector<domain::ChunkedSlice> slices;
  std::vector<std::vector<SharedFootprint>> touches;
};

/// Cuts a decided split launch where devices are to help each other: in `dynamic`, and in `auto` where memory decides
/// how long a group works. Null otherwise, and where chunks cannot change devices freely: where a chunk may write what
/// another may write or read, and with atomics or written images. Never where launches are verified, since each slice
/// is then compared with the device that it was given to. Costs a footprint for each chunk.
std::shared_ptr<const Dealing> deal(const Machine& machine, const Launch& launch, const LaunchView& view,
                                    const Decision& decision);

/// Runs the chunks of a decided launch, each device by a thread of its own. The caller holds the ranges.
class DealtLaunch {
 public:
  /// `running`: of the launch, where it can be controlled.
  DealtLaunch(Machine& machine, const Launch& launch, const LaunchView& view, const Dealing& dealing, Event& event,
              RunningLaunch* running);

  /// Blocks until every chunk was tried and the results are committed. A device that fails takes no further chunk; on
  /// an error unfinished() tells the groups without results. Where `running` was asked to give way, chunks that were
  /// not begun are unfinished().stopped. Where host memory ran out inside a chunk, they cannot be run again:
  /// unfinished().inputs_intact is false.
  Status run();
  [[nodiscard]] const Unfinished& unfinished() const { return unfinished_; }
  [[nodiscard]] std::vector<SliceReport> reports() const { return reports_; }
  [[nodiscard]] std::uint64_t first_uses() const { return first_uses_; }

 private:
  void work(std::uint32_t device);
  std::optional<domain::ChunkIndex> next(std::uint32_t device);
  Status run_chunk(std::uint32_t device, const domain::ChunkIndex& index);
  /// The device is lost, and with it the results of its earlier chunks: their groups have to run again. With mutex_
  /// held.
  void retract(std::uint32_t device) SKMD_REQUIRES(mutex_);
  void leave(std::uint32_t device, const domain::ChunkIndex& index, Status status);
  void collect_the_rest();
  /// Tells the model how many groups each device ran in what time: single chunks are too short to go by.
  void learn();

  Machine& machine_;
  const Launch& launch_;
  const LaunchView& view_;
  const Dealing& dealing_;
  Event& event_;
  RunningLaunch* const running_;
  Mutex mutex_{LockRank::dealt_launch};
  domain::ChunkDealer dealer_ SKMD_GUARDED_BY(mutex_);
  // Under mutex_ while devices work; before and afterwards only the thread in run() has them.
  std::vector<SliceReport> reports_;
  Unfinished unfinished_;
  Status failure_;
  std::uint64_t first_uses_ = 0;
};

}  // namespace skmd::icd
