// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/merge_choice.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/machine/machine.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace skmd::icd {
namespace {

/// Slices as they are joined: those that share a memory write in one place, and are one.
struct MemoryGroup {
  domain::SpaceId space;
  std::optional<std::uint32_t> alone;  // the device whose writes to this memory are not to be taken for the others'
  std::vector<domain::RootFootprint> roots;
  std::vector<domain::AtomicFootprint> atomics;  // empty: the kernel has none
};

void join(MemoryGroup& group, const MemoryGroup& other) {
  for (std::size_t r = 0; r < group.roots.size(); ++r) {
    group.roots[r].reads.add(other.roots[r].reads);
    group.roots[r].may_write.add(other.roots[r].may_write);
    group.roots[r].must_write.add(other.roots[r].must_write);
    group.roots[r].write_unknown = group.roots[r].write_unknown || other.roots[r].write_unknown;
  }
  for (std::size_t r = 0; r < group.atomics.size(); ++r) domain::join(group.atomics[r], other.atomics[r]);
}

bool writes_image(const LaunchView& view, const std::vector<SliceWork>& slices) {
  for (std::size_t r = 0; r < view.roots().size(); ++r) {
    const auto writes = [&](const SliceWork& slice) { return !slice.touches->roots[r].may_write.empty(); };
    if (view.roots()[r]->is_image() && std::any_of(slices.begin(), slices.end(), writes)) return true;
  }
  return false;
}

/// CPU devices of one process use the processor's own atomics on memory that they share. Another device's
/// atomics on host memory need not be atomic for the processor or a third device. Images are never in host memory
/// itself: each device has its own.
std::vector<MemoryGroup> by_memory(const Machine& machine, const LaunchView& view, const domain::KernelTraits& traits,
                                   const std::vector<SliceWork>& slices) {
  const bool atomics = (traits.facts & domain::kFactGlobalAtomics) != 0;
  const bool images = writes_image(view, slices);
  std::vector<MemoryGroup> groups;
  for (const SliceWork& slice : slices) {
    const DeviceDescription& device = machine.devices[slice.device]->description();
    MemoryGroup own{device.space, std::nullopt, slice.touches->roots, {}};
    if (atomics) own.atomics = view.shape().atomics(slice.span);
    if (images || (atomics && device.kind != DeviceKind::cpu)) own.alone = slice.device;
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const MemoryGroup& group) {
      return group.space == own.space && group.alone == own.alone;
    });
    if (found == groups.end()) {
      groups.push_back(std::move(own));
    } else {
      join(*found, own);
    }
  }
  return groups;
}

}  // namespace

domain::MergeDecision how_to_merge(const Machine& machine, const Launch& launch, const LaunchView& view,
                                   const std::vector<SliceWork>& slices) {
  const domain::KernelTraits& traits = launch.kernel->traits();
  std::vector<std::vector<domain::RootFootprint>> footprints;
  std::vector<std::vector<domain::AtomicFootprint>> atomics;
  std::size_t in_host_memory = 0;
  for (MemoryGroup& group : by_memory(machine, view, traits, slices)) {
    in_host_memory += group.space == domain::kHostSpace ? 1 : 0;
    if (!group.atomics.empty()) atomics.push_back(std::move(group.atomics));
    footprints.push_back(std::move(group.roots));
  }
  // There is one host memory, so only one of its groups could leave its partial values there.
  if (in_host_memory > 1) atomics.clear();
  const auto merge = [&](domain::RungSet allowed) {
    return domain::decide_merge(traits, footprints, view.views(), static_cast<std::uint32_t>(view.roots().size()),
                                allowed, atomics);
  };
  domain::MergeDecision found = merge(machine.settings.rungs);
  const auto& rungs = found.per_root;
  // Code is loaded only if it is needed, and the system may refuse to execute it.
  const bool replayed = std::find(rungs.begin(), rungs.end(), domain::Rung::kernel) != rungs.end();
  if (!replayed || launch.kernel->merge_function().run != nullptr) return found;
  return merge(machine.settings.rungs.without(domain::Rung::kernel));
}

}  // namespace skmd::icd
