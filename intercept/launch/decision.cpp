// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/decision.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "intercept/launch/link_rates.h"

namespace skmd::icd {

namespace {

using domain::GroupSpan;
using domain::NotSplit;
using domain::PartitionMode;

domain::SpaceId space_of(const Machine& machine, std::uint32_t device) {
  return machine.devices[device]->description().space;
}

/// Defined bytes that `device` would have to be sent for `footprints`.
std::uint64_t bytes_to(const Machine& machine, const LaunchView& view, std::uint32_t device,
                       const std::vector<domain::RootFootprint>& footprints) {
  std::uint64_t bytes = 0;
  for (std::size_t r = 0; r < footprints.size(); ++r) {
    Storage& root = *view.roots()[r];
    const domain::RangeSet needed = LaunchView::needed(footprints[r]);
    const std::lock_guard lock(root.mutex());
    bytes += root.residency().missing(space_of(machine, device), needed).bytes();
  }
  return bytes;
}

/// Results that will have to come back to the host if somebody reads them.
std::uint64_t bytes_from(const Machine& machine, std::uint32_t device,
                         const std::vector<domain::RootFootprint>& footprints) {
  if (space_of(machine, device) == domain::kHostSpace) return 0;
  std::uint64_t bytes = 0;
  for (const auto& root : footprints) bytes += root.may_write.bytes();
  return bytes;
}

std::vector<domain::DeviceModel> models(const Machine& machine, const Launch& launch, const Eligibility& eligible) {
  std::vector<domain::DeviceModel> models;
  models.reserve(machine.devices.size());
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i) {
    domain::DeviceModel model = machine.model->predict(launch.kernel->id(), i, launch.range);
    model.eligible = eligible.eligible[i];
    const LinkRate rate = LinkRates::get().of(i);
    model.bytes_to_per_second = rate.to;
    model.bytes_from_per_second = rate.from;
    models.push_back(model);
  }
  return models;
}

/// Groups of one row of dimension 0 (of one plane in three dimensions): cutting there keeps slabs contiguous.
std::uint64_t row_of_groups(const domain::NdRange& range) {
  const domain::Extent3 counts = range.group_counts();
  if (range.work_dim == 3 && counts[2] > 1) return counts[0] * counts[1];
  return range.work_dim >= 2 && counts[1] > 1 ? counts[0] : 1;
}

/// Slices that share a memory write in one place: for merging they are one.
std::vector<std::vector<domain::RootFootprint>> by_space(const Machine& machine, const std::vector<SliceWork>& slices,
                                                         std::size_t roots) {
  std::vector<std::pair<domain::SpaceId, std::vector<domain::RootFootprint>>> spaces;
  for (const SliceWork& slice : slices) {
    const domain::SpaceId space = space_of(machine, slice.device);
    auto found = std::find_if(spaces.begin(), spaces.end(), [&](const auto& s) { return s.first == space; });
    if (found == spaces.end()) {
      spaces.emplace_back(space, slice.footprints);
      continue;
    }
    for (std::size_t r = 0; r < roots; ++r) {
      found->second[r].reads.add(slice.footprints[r].reads);
      found->second[r].may_write.add(slice.footprints[r].may_write);
      found->second[r].must_write.add(slice.footprints[r].must_write);
      found->second[r].write_unknown = found->second[r].write_unknown || slice.footprints[r].write_unknown;
    }
  }
  std::vector<std::vector<domain::RootFootprint>> result;
  for (auto& [space, footprints] : spaces) result.push_back(std::move(footprints));
  return result;
}

Decision whole_on(const Launch& launch, const LaunchView& view, std::uint32_t device, NotSplit reason) {
  Decision decision;
  decision.slices.push_back({device, {0, launch.range.group_total()}, view.whole()});
  decision.whole = reason;
  return decision;
}

/// Where a launch that stays whole is expected to end first; the anchor where too little is known.
std::uint32_t fastest(const Machine& machine, const Launch& launch, const LaunchView& view,
                      const Eligibility& eligible) {
  const std::uint32_t preferred = eligible.preferred(machine.anchor);
  if (machine.settings.policy.mode != PartitionMode::automatic) return preferred;
  const auto all = models(machine, launch, eligible);
  double best = 0.0;
  std::uint32_t choice = preferred;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (!all[i].eligible) continue;
    if (!all[i].measured) return preferred;
    const double seconds = all[i].launch_seconds +
                           static_cast<double>(launch.range.group_total()) / all[i].groups_per_second +
                           static_cast<double>(bytes_to(machine, view, i, view.whole())) / all[i].bytes_to_per_second +
                           static_cast<double>(bytes_from(machine, i, view.whole())) / all[i].bytes_from_per_second;
    if (best == 0.0 || seconds < best) {
      best = seconds;
      choice = i;
    }
  }
  return choice;
}

std::uint32_t single_device(const Machine& machine, const Eligibility& eligible) {
  const int index = machine.settings.policy.single_index;
  if (index >= 0 && static_cast<std::size_t>(index) < eligible.eligible.size() &&
      eligible.eligible[static_cast<std::size_t>(index)])
    return static_cast<std::uint32_t>(index);
  return eligible.preferred(machine.anchor);
}

domain::Plan ask_partitioner(Machine& machine, const Launch& launch, const LaunchView& view,
                             const Eligibility& eligible) {
  const auto device_models = models(machine, launch, eligible);
  domain::PartitionRequest request;
  request.policy = machine.settings.policy;
  request.anchor = eligible.preferred(machine.anchor);
  request.groups = launch.range.group_total();
  request.devices = device_models;
  request.granularity = row_of_groups(launch.range);
  request.bytes_to = [&](std::uint32_t device, const GroupSpan& span) {
    return bytes_to(machine, view, device, view.footprints(span));
  };
  request.bytes_from = [&](std::uint32_t device, const GroupSpan& span) {
    return bytes_from(machine, device, view.footprints(span));
  };
  const auto begin = std::chrono::steady_clock::now();
  domain::Plan plan = domain::partition(request);
  machine.observer->partition(static_cast<std::uint64_t>((std::chrono::steady_clock::now() - begin).count()));
  return plan;
}

}  // namespace

std::optional<NotSplit> confined(const Machine& machine, const Launch& launch, const Eligibility& eligible) {
  if (machine.settings.policy.mode == PartitionMode::single) return NotSplit::mode_single;
  if (launch.kernel->opaque()) return NotSplit::opaque_program;
  if (const auto fact =
          domain::forbids_split(launch.kernel->traits(), machine.settings.split_mixed || eligible.alike(machine)))
    return fact;
  if (launch.range.group_total() == 1) return NotSplit::one_group;
  if (eligible.count() == 1) return NotSplit::one_device_eligible;
  return std::nullopt;
}

Decision decide(Machine& machine, const Launch& launch, const LaunchView& view, const Eligibility& eligible) {
  if (const auto reason = confined(machine, launch, eligible)) {
    const std::uint32_t device =
        *reason == NotSplit::mode_single ? single_device(machine, eligible) : fastest(machine, launch, view, eligible);
    return whole_on(launch, view, device, *reason);
  }
  const domain::Plan plan = ask_partitioner(machine, launch, view, eligible);
  if (plan.slices.size() == 1) return whole_on(launch, view, plan.slices.front().device, plan.reason);

  Decision decision;
  decision.predicted_seconds = plan.predicted_seconds;
  for (const domain::Slice& slice : plan.slices)
    decision.slices.push_back({slice.device, slice.span, view.footprints(slice.span)});
  decision.merge =
      domain::decide_merge(launch.kernel->traits(), by_space(machine, decision.slices, view.roots().size()),
                           view.views(), static_cast<std::uint32_t>(view.roots().size()));
  if (decision.merge.refused)
    return whole_on(launch, view, fastest(machine, launch, view, eligible), *decision.merge.refused);
  return decision;
}

}  // namespace skmd::icd
