// SPDX-License-Identifier: Apache-2.0
// Merge rung 2 on a device: its own memory holds the old contents and what its slice stored; the other slices' results
// are brought there, and merge kernels (compiler/client/merge_record.h) replay the other slices' stores from them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/scratch.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

class DeviceReplay {
 public:
  /// Which device is likely to use the results of rung 2 next; before this launch counts as a use.
  static std::optional<std::uint32_t> next_user(const LaunchView& view, const Decision& decision);
  /// Null: merging on the host costs less (replay.h), or no device can merge. Precondition: the roots' move mutexes are
  /// held.
  static std::unique_ptr<DeviceReplay> plan(Machine& machine, const Launch& launch, const LaunchView& view,
                                            const Decision& decision, std::optional<std::uint32_t> next_user);

  [[nodiscard]] std::uint32_t device() const { return device_; }
  /// What the device needs of `root` before anything runs. Host memory needs no old contents then.
  [[nodiscard]] domain::RangeSet needed(std::size_t root) const;

  /// When everything that host memory is to have is there, before the first slice is submitted: copies the old contents
  /// that host memory lacks to a scratch buffer on the device. Blocks. An error: nothing has changed.
  Status keep();
  /// Per root: the old contents that host memory has not, once they are kept.
  [[nodiscard]] std::vector<domain::RangeSet> elsewhere() const;
  /// After all slices have completed: merges, and commits residency. Nothing that the host would need for merging is
  /// lost if it fails.
  Status finish(const std::vector<SliceWork>& slices);
  /// From here on the host merges: its memory gets old contents and the bytes that merge functions load, as if there
  /// had been no other plan. What the slices of `completed` have written there themselves is copied away first
  /// (take_aside()). Blocks. May be called again, with no slices.
  Status retreat(const std::vector<SliceWork>& completed);
  /// What retreat() has copied away, per root: results of slices in `completed`.
  [[nodiscard]] std::vector<std::vector<SliceResult>> take_aside() { return std::move(aside_); }

 private:
  DeviceReplay(Machine& machine, const Launch& launch, const LaunchView& view, const Decision& decision)
      : machine_(machine),
        launch_(launch),
        view_(view),
        decision_(decision),
        roots_(view.roots().size()),
        aside_(view.roots().size()) {}
  struct Root {
    bool replayed = false;
    domain::RangeSet kept;                  // old contents that host memory has not
    std::shared_ptr<NativeMemory> beside;   // with those
    std::shared_ptr<NativeMemory> results;  // of one slice at a time
  };
  [[nodiscard]] const domain::RangeSet& joined(std::size_t root) const { return decision_.merge.joined[root]; }
  [[nodiscard]] bool is_loaded(std::size_t argument) const;
  /// Merge kernels get this buffer.
  [[nodiscard]] bool is_used(std::size_t argument) const;
  [[nodiscard]] std::vector<std::byte> record(const SliceWork& slice) const;
  Status append_merge(const SliceWork& slice, std::vector<Op>& ops);
  void commit();
  Status put_aside(const std::vector<SliceWork>& completed, std::size_t root);
  Status bring_back(std::size_t root);

  Machine& machine_;
  const Launch& launch_;
  const LaunchView& view_;
  const Decision& decision_;
  std::uint32_t device_ = 0;
  std::shared_ptr<NativeKernel> kernel_;
  std::vector<Root> roots_;
  std::vector<std::vector<SliceResult>> aside_;
};

}  // namespace skmd::icd
