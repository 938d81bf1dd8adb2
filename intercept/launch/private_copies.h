// SPDX-License-Identifier: Apache-2.0
// Private copies on one device of everything that a launch touches: the launch can run on them without visible effects.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/native_launch.h"
#include "intercept/launch/scratch.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/storage.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

class PrivateCopies {
 public:
  /// Allocates. `sources`, per root: address of its byte 0 in host memory, from which `ranges` are copied; they must
  /// outlive this. Roots that the launch does not write, on devices that use host memory in place, are the sources
  /// themselves. Nothing is on a device with a memory of its own until the ops of copy() have run.
  static Result<PrivateCopies> make(const Machine& machine, const Launch& launch, const LaunchView& view,
                                    std::uint32_t device, std::span<const std::byte* const> sources,
                                    std::span<const domain::RangeSet> ranges);

  /// The launch's kernel and arguments, with the copies in place of its roots.
  [[nodiscard]] const NativeCall& call() const { return call_; }
  /// `ranges` of a root hold again what the source does: at once in host memory used in place, otherwise by ops that
  /// are appended.
  void copy(std::size_t root, const domain::RangeSet& ranges, std::vector<Op>& ops);
  /// Appends ops that bring `ranges` of a root to contents(root); none where they are there anyway.
  void fetch(std::size_t root, const domain::RangeSet& ranges, std::vector<Op>& ops);
  [[nodiscard]] const std::byte* contents(std::size_t root) const;

 private:
  struct Root {
    const Storage* storage = nullptr;
    const std::byte* source = nullptr;
    std::optional<Scratch> scratch;  // none: the source itself
    std::shared_ptr<NativeMemory> native;
    bool in_place = false;  // `native` is the scratch, or the source
  };
  static Result<Root> make_root(Device& device, const Storage& storage, bool written, const std::byte* source);
  std::vector<Root> roots_;
  NativeCall call_;
};

}  // namespace skmd::icd
