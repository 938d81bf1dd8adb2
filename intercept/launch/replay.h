// SPDX-License-Identifier: Apache-2.0
// Merge rung 2, the paper's merge kernel: the kernel's stores are replayed over each slice from the slice's own
// results.
#pragma once

#include <optional>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/scratch.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/storage.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

/// Joins all roots of a split launch that take Rung::kernel. Their pre-image must be valid in host memory when begin()
/// runs, and so must what the merge function loads; devices need neither.
class Replay {
 public:
  Replay(Machine& machine, const Launch& launch, const LaunchView& view, const Decision& decision);

  /// Bytes of `root` that the merge function may load, if this launch needs it.
  static domain::RangeSet loads(const Launch& launch, const LaunchView& view, const Decision& decision,
                                std::size_t root);
  /// Before the first slice starts. `elsewhere`, per root: old contents that will come to host memory only if that
  /// merges after all (device_replay.h).
  Status begin(std::vector<domain::RangeSet> elsewhere = {});
  /// After all slices: fetches results and replays stores into the shadow; commits residency. `slices`: those that have
  /// completed. `aside`, per root: results of slices that have written the shadow, where it may have been written
  /// since.
  Status finish(const std::vector<SliceWork>& slices, std::vector<std::vector<SliceResult>> aside = {});
  /// Instead of a finish() that succeeds: the shadow holds the pre-image again.
  void restore();

 private:
  struct Root {
    std::size_t index = 0;
    Storage* storage = nullptr;
    std::optional<Scratch> before;  // where a slice writes the shadow itself
    std::optional<Scratch> aside;   // instead of the shadow, while some of it belongs to the application
    std::byte* merged = nullptr;
    std::vector<SliceResult> results;
    domain::RangeSet elsewhere;
  };
  Status prepare(Root& root, const std::vector<SliceWork>& slices);
  void replay(const SliceWork& slice);
  void commit(Root& root);

  Machine& machine_;
  const Launch& launch_;
  const Decision& decision_;
  std::vector<Root> roots_;
};

}  // namespace skmd::icd
