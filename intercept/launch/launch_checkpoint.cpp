// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_checkpoint.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/launch/decide_launch.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/native_launch.h"
#include "intercept/memory/range_lock.h"
#include "intercept/memory/storage.h"
#include "intercept/object/kernel.h"
#include "profiler/checkpoint/launch_file.h"

namespace skmd::icd {

namespace {

using domain::Error;

Error cannot_be_kept(const Launch& launch, const std::string& why) {
  return {CL_INVALID_OPERATION, "the launch of " + launch.kernel->traits().name + " cannot be kept in a file: " + why};
}

/// "" if buffers and values are all that the launch works on.
std::string kept_elsewhere(const Launch& launch) {
  const std::uint32_t facts = launch.kernel->traits().facts;
  if (launch.kernel->opaque() || launch.kernel->text() == nullptr)
    return "its program is known to vendors' drivers alone";
  if ((facts & domain::kFactMutableProgramScope) != 0) return "it writes program-scope variables";
  if ((facts & domain::kFactDeviceSpecificCode) != 0) return "its code is for one device";
  if ((facts & domain::kFactPointerInMemory) != 0 || !launch.reached.empty()) return "it takes pointers out of memory";
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const LaunchArgument& argument = launch.arguments[i];
    const std::string name = "argument " + std::to_string(i) + " is ";
    if (std::holds_alternative<ImageView>(argument)) return name + "an image";
    if (std::holds_alternative<SamplerView>(argument)) return name + "a sampler";
    if (std::holds_alternative<std::monostate>(argument)) return name + "not set";
    const auto* view = std::get_if<BufferView>(&argument);
    if (view != nullptr && view->storage->is_shared()) return name + "a pointer into shared virtual memory";
  }
  return {};
}

std::uint32_t index_of(const LaunchView& view, const Storage* root) {
  const auto& roots = view.roots();
  return static_cast<std::uint32_t>(
      std::find_if(roots.begin(), roots.end(), [&](const auto& known) { return known.get() == root; }) - roots.begin());
}

checkpoint::Argument kept(const LaunchView& view, const LaunchArgument& argument) {
  if (const auto* value = std::get_if<std::vector<std::byte>>(&argument)) return checkpoint::ValueArgument{*value};
  if (const auto* local = std::get_if<LocalBytes>(&argument)) return checkpoint::LocalArgument{local->bytes};
  if (const auto* buffer = std::get_if<BufferView>(&argument))
    return checkpoint::BufferArgument{index_of(view, buffer->storage.get()), buffer->offset, buffer->size};
  return checkpoint::NullArgument{};
}

checkpoint::Rest kept(const Machine& machine, const Launch& launch, const std::vector<StoppedSpan>& left) {
  checkpoint::Rest rest;
  if ((launch.kernel->traits().facts & domain::kFactFloatDecidesAddress) != 0 && !machine.settings.split_mixed)
    rest.arithmetic = machine.devices[left.front().device]->description().arithmetic;
  for (const StoppedSpan& span : left) {
    checkpoint::RestSpan one{span.span, span.begun, {}};
    if (span.saved != nullptr)
      for (auto& [group, state] : span.saved->all())
        one.saved.push_back({group, state.schema, state.words, state.local});
    rest.spans.push_back(std::move(one));
  }
  return rest;
}

/// Per root, all bytes that arguments name.
std::vector<domain::RangeSet> reach_of(const Launch& launch, const LaunchView& view) {
  std::vector<domain::RangeSet> reach(view.roots().size());
  for (const LaunchArgument& argument : launch.arguments)
    if (const auto* buffer = std::get_if<BufferView>(&argument))
      reach[index_of(view, buffer->storage.get())].add(
          domain::ByteRange{buffer->offset, buffer->offset + buffer->size});
  return reach;
}

/// Of what the launch itself has not claimed. None: another command has some of it, and may change it.
std::optional<RangeLock> hold_the_rest(const LaunchView& view, const std::vector<domain::RangeSet>& reach) {
  std::vector<domain::RangeSet> free = reach;
  for (const Claim& claim : view.claims())
    if (const auto root = index_of(view, claim.storage.get()); root < free.size()) free[root].remove(*claim.ranges);
  std::vector<Claim> claims;
  for (std::size_t r = 0; r < free.size(); ++r)
    if (!free[r].empty()) claims.push_back(claim_on(view.roots()[r], free[r], false));
  if (claims.empty()) return RangeLock();
  return RangeLock::try_take_ahead(std::move(claims));
}

/// The defined bytes of `reach` in host memory, where they stay valid as long as the caller holds them.
Result<section_file::Parts> bring_to_host(Storage& root, const domain::RangeSet& reach, domain::RangeSet& defined) {
  defined = reach;
  {
    const MutexGuard lock(root.mutex());
    defined.remove(root.residency().undefined(reach));
  }
  if (Status status = root.gather(defined, "checkpoint"); !status) return status.error();
  const auto host = root.host();
  if (!host) return host.error();
  section_file::Parts parts;
  for (const domain::ByteRange& range : defined.ranges())
    parts.emplace_back(*host + range.begin, static_cast<std::size_t>(range.size()));
  return parts;
}

}  // namespace

Result<Checkpoint> write_checkpoint(Machine& machine, const Launch& launch, const LaunchView& view,
                                    const std::vector<StoppedSpan>& left, const std::string& path) {
  const std::uint64_t begin = host_now();
  if (const std::string why = kept_elsewhere(launch); !why.empty()) return cannot_be_kept(launch, why);
  const std::vector<domain::RangeSet> reach = reach_of(launch, view);
  const auto held = hold_the_rest(view, reach);
  if (!held) return cannot_be_kept(launch, "another command uses other bytes of its buffers now");
  checkpoint::LaunchCheckpoint state;
  state.program = {launch.kernel->text()->text, launch.kernel->text()->options};
  state.kernel = launch.kernel->traits().name;
  state.range = launch.range;
  for (const LaunchArgument& argument : launch.arguments) state.arguments.push_back(kept(view, argument));
  state.rest = kept(machine, launch, left);
  std::vector<section_file::Parts> bytes;
  for (std::size_t r = 0; r < reach.size(); ++r) {
    Storage& root = *view.roots()[r];
    checkpoint::BufferBytes buffer{root.bytes(), {}};
    auto parts = bring_to_host(root, reach[r], buffer.defined);
    if (!parts) return parts.error();
    bytes.push_back(std::move(*parts));
    state.buffers.push_back(std::move(buffer));
  }
  const auto written = checkpoint::write_launch(path, state, bytes);
  if (!written) return Error{CL_OUT_OF_RESOURCES, written.error().reason};
  const double seconds = static_cast<double>(host_now() - begin) * 1e-9;
  return Checkpoint{state.kernel, path, *written, seconds};
}

namespace {

std::shared_ptr<SavedGroups> groups_of(const std::vector<checkpoint::SavedGroup>& saved) {
  auto groups = std::make_shared<SavedGroups>();
  for (const checkpoint::SavedGroup& one : saved) groups->put(one.group, {one.schema, one.words, one.local});
  return groups;
}

/// Why the device cannot go on with `span`; "" if it can.
std::string refusal(const Machine& machine, const Launch& launch, const Eligibility& eligible, const StoppedSpan& span,
                    const std::string& arithmetic, std::uint32_t device) {
  const DeviceDescription& description = machine.devices[device]->description();
  if (!eligible.eligible[device]) return eligible.why_not[device];
  if (!takes_work(machine, device)) return "it gets no work";
  if (!arithmetic.empty() && !machine.settings.split_mixed &&
      (description.arithmetic != arithmetic || description.rounds_unlike_itself))
    return "floating point decides addresses, and it may round differently than " + arithmetic;
  if (span.saved == nullptr) return {};
  const auto call = native_call(machine, launch, device);
  if (!call) return call.error().reason;
  const auto info = yields_of(machine, launch, device, *call->kernel, true);
  if (!info) return "groups were stopped inside, and it has no code that goes on with them";
  return span.saved->fit(info->schema) ? "" : "groups were stopped inside by code of another kind than it has";
}

/// Those that get most of the launch come first.
std::vector<std::uint32_t> in_order(const Machine& machine, const Decision& decision) {
  std::vector<SliceWork> slices = decision.slices;
  std::stable_sort(slices.begin(), slices.end(),
                   [](const SliceWork& a, const SliceWork& b) { return a.span.size() > b.span.size(); });
  std::vector<std::uint32_t> devices;
  devices.reserve(machine.devices.size());
  for (const SliceWork& slice : slices) devices.push_back(slice.device);
  for (std::uint32_t device = 0; device < machine.devices.size(); ++device)
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
  return devices;
}

}  // namespace

Result<std::vector<StoppedSpan>> take_up(Machine& machine, const Launch& launch, const LaunchView& view,
                                         const checkpoint::Rest& rest) {
  const Eligibility eligible = eligible_for_rest(machine, launch, view);
  const auto devices = in_order(machine, *decide_launch(machine, launch, view));
  std::vector<StoppedSpan> left;
  for (const checkpoint::RestSpan& one : rest.spans) {
    StoppedSpan span{one.span, 0, nullptr, one.begun};
    if (!one.begun.empty()) span.saved = groups_of(one.saved);
    std::string reasons;
    const auto device = std::find_if(devices.begin(), devices.end(), [&](std::uint32_t candidate) {
      const std::string reason = refusal(machine, launch, eligible, span, rest.arithmetic, candidate);
      if (!reason.empty()) reasons += "; " + machine.devices[candidate]->description().name + ": " + reason;
      return reason.empty();
    });
    if (device == devices.end())
      return Error{CL_OUT_OF_RESOURCES,
                   "no device can go on with the launch of " + launch.kernel->traits().name + reasons};
    span.device = *device;
    left.push_back(std::move(span));
  }
  return left;
}

}  // namespace skmd::icd
