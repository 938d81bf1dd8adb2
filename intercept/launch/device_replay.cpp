// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/device_replay.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "compiler/client/merge_record.h"
#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/port/port.h"
#include "intercept/launch/conductor.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/merge_costs.h"
#include "intercept/launch/replay.h"
#include "intercept/launch/running_constants.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/link_rates.h"
#include "intercept/memory/memory_constants.h"
#include "intercept/memory/mover.h"
#include "intercept/memory/storage.h"
#include "intercept/object/event.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "partitioner/merge/merge_place.h"

namespace skmd::icd {
namespace {

using namespace tuning;

/// No more groups than every device takes in one dimension.
constexpr std::uint64_t kMaxItems = kMergeGroupItems << 30;

bool is_replayed(const Decision& decision, std::size_t root) {
  return !decision.whole && decision.merge.per_root[root] == domain::Rung::kernel;
}

bool could_replay(const Machine& machine, const SliceWork& slice) {
  return space_of(machine, slice.device) != domain::kHostSpace &&
         machine.devices[slice.device]->description().takes_ptx;
}

std::uint64_t items_of(const Launch& launch, std::uint64_t groups) {
  return groups * launch.range.local[0] * launch.range.local[1] * launch.range.local[2];
}

/// Whether a merge kernel's arguments can describe this launch.
bool can_be_told(const Launch& launch) {
  const std::uint64_t groups = launch.range.group_total();
  if (groups > kMaxItems || items_of(launch, 1) > kMaxItems / groups) return false;
  return std::all_of(launch.arguments.begin(), launch.arguments.end(), [](const LaunchArgument& argument) {
    const auto* view = std::get_if<BufferView>(&argument);
    return view == nullptr || view->offset % compiler::kMergeAlignment == 0;
  });
}

std::vector<domain::MergePart> parts_of(const Machine& machine, const LaunchView& view, const Decision& decision) {
  std::vector<domain::MergePart> parts;
  for (const SliceWork& slice : decision.slices) {
    const LinkRate rate = LinkRates::get().of(slice.device);
    domain::MergePart part;
    part.device = slice.device;
    part.in_host_memory = space_of(machine, slice.device) == domain::kHostSpace;
    part.replays = could_replay(machine, slice);
    part.to = rate.to.value_or(LinkRates::get().assumed(slice.device));
    part.from = rate.from.value_or(LinkRates::get().assumed(slice.device));
    for (std::size_t r = 0; r < view.roots().size(); ++r) {
      if (!is_replayed(decision, r)) continue;
      part.stored += slice.touches->roots[r].may_write.intersection(decision.merge.joined[r]).bytes();
      const MutexGuard lock(view.roots()[r]->mutex());
      part.old_missing +=
          view.roots()[r]->residency().missing_bytes(space_of(machine, slice.device), decision.merge.joined[r]);
    }
    parts.push_back(part);
  }
  return parts;
}

domain::MergeQuestion question_of(const LaunchView& view, const Decision& decision,
                                  const std::vector<domain::MergePart>& parts) {
  domain::MergeQuestion question;
  question.parts = parts;
  for (std::size_t r = 0; r < view.roots().size(); ++r) {
    if (!is_replayed(decision, r)) continue;
    question.joined += decision.merge.joined[r].bytes();
    const MutexGuard lock(view.roots()[r]->mutex());
    question.old_missing_on_host +=
        view.roots()[r]->residency().missing_bytes(domain::kHostSpace, decision.merge.joined[r]);
  }
  question.host_seconds = kMergeCosts.kernel.per_joined * static_cast<double>(question.joined);
  for (const domain::MergePart& part : parts) {
    if (part.in_host_memory) continue;
    question.old_from = std::max(question.old_from, part.from);
    question.host_seconds += kMergeCosts.kernel.per_stored * static_cast<double>(part.stored);
  }
  return question;
}

}  // namespace

std::optional<std::uint32_t> DeviceReplay::next_user(const LaunchView& view, const Decision& decision) {
  for (std::size_t r = 0; r < view.roots().size(); ++r)
    if (is_replayed(decision, r)) return view.roots()[r]->usage().likely_user();
  return std::nullopt;
}

std::unique_ptr<DeviceReplay> DeviceReplay::plan(Machine& machine, const Launch& launch, const LaunchView& view,
                                                 const Decision& decision, std::optional<std::uint32_t> next_user) {
  std::unique_ptr<DeviceReplay> made(new DeviceReplay(machine, launch, view, decision));
  bool any = false;
  for (std::size_t r = 0; r < view.roots().size(); ++r)
    any = (made->roots_[r].replayed = is_replayed(decision, r)) || any;
  const auto able = [&](const SliceWork& slice) { return could_replay(machine, slice); };
  if (!any || std::none_of(decision.slices.begin(), decision.slices.end(), able) || !can_be_told(launch))
    return nullptr;
  const std::vector<domain::MergePart> parts = parts_of(machine, view, decision);
  domain::MergeQuestion question = question_of(view, decision, parts);
  question.next_user = next_user;
  const auto place = domain::merge_place(question, machine.settings.rungs.replays_on_devices());
  if (!place) return nullptr;
  made->device_ = parts[*place].device;
  made->kernel_ = launch.kernel->merge_kernel(made->device_);
  return made->kernel_ == nullptr ? nullptr : std::move(made);
}

bool DeviceReplay::is_loaded(std::size_t argument) const {
  const auto& loads = launch_.kernel->traits().merge_loads;
  return std::find(loads.begin(), loads.end(), argument) != loads.end();
}

domain::RangeSet DeviceReplay::needed(std::size_t root) const {
  domain::RangeSet ranges = Replay::loads(launch_, view_, decision_, root);
  if (roots_[root].replayed) ranges.add(joined(root));
  return ranges;
}

Status DeviceReplay::keep() {
  Batch batch;
  Device& device = *machine_.devices[device_];
  for (std::size_t r = 0; r < roots_.size(); ++r) {
    if (!roots_[r].replayed) continue;
    Storage& storage = *view_.roots()[r];
    domain::RangeSet kept;
    {
      const MutexGuard lock(storage.mutex());
      kept = storage.residency().missing(domain::kHostSpace, joined(r));
      if (!storage.residency().missing(space_of(machine_, device_), kept).empty())
        return domain::Error{CL_OUT_OF_RESOURCES, "old contents are on another device"};
    }
    auto results = device.allocate(storage.bytes(), nullptr);
    if (!results) return results.error();
    roots_[r].results = std::move(*results);
    if (kept.empty()) continue;
    auto from = storage.native(device_);
    if (!from) return from.error();
    auto beside = device.allocate(storage.bytes(), nullptr);
    if (!beside) return beside.error();
    for (const domain::ByteRange& range : kept.ranges())
      batch.ops.emplace_back(CopyOp{*from, *beside, range.begin, range.begin, range.size()});
    roots_[r].beside = std::move(*beside);
    roots_[r].kept = std::move(kept);
  }
  if (batch.ops.empty()) return {};
  BatchGroup group;
  group.submit(device, std::move(batch));
  return group.wait();
}

std::vector<domain::RangeSet> DeviceReplay::elsewhere() const {
  std::vector<domain::RangeSet> ranges;
  for (const Root& root : roots_) ranges.push_back(root.kept);
  return ranges;
}

std::vector<std::byte> DeviceReplay::record(const SliceWork& slice) const {
  compiler::MergeRecord record;
  const domain::Extent3 groups = launch_.range.group_counts();
  record.work_dim = launch_.range.work_dim;
  for (std::size_t d = 0; d < 3; ++d) {
    record.global_offset[d] = launch_.range.offset[d];
    record.global_size[d] = launch_.range.global[d];
    record.group_count[d] = groups[d];
    record.local_size[d] = launch_.range.local[d];
  }
  record.first = slice.span.first;
  record.last = slice.span.last;
  std::vector<std::byte> bytes(sizeof record + launch_.arguments.size() * sizeof(compiler::MergeView));
  std::memcpy(bytes.data(), &record, sizeof record);
  for (std::size_t i = 0; i < launch_.arguments.size(); ++i) {
    const auto* view = std::get_if<BufferView>(&launch_.arguments[i]);
    if (view == nullptr || !is_used(i)) continue;
    const compiler::MergeView told{view->offset, view->size};
    std::memcpy(bytes.data() + sizeof record + i * sizeof told, &told, sizeof told);
  }
  return bytes;
}

bool DeviceReplay::is_used(std::size_t argument) const {
  const std::uint32_t root = view_.views()[argument].root;
  return root != domain::kNoRoot && (roots_[root].replayed || is_loaded(argument));
}

Status DeviceReplay::append_merge(const SliceWork& slice, std::vector<Op>& ops) {
  const domain::KernelTraits& traits = launch_.kernel->traits();
  auto arguments = std::make_shared<std::vector<NativeArgument>>();
  for (std::size_t i = 0; i < launch_.arguments.size(); ++i) {
    if (const auto* value = std::get_if<std::vector<std::byte>>(&launch_.arguments[i])) {
      std::vector<std::byte> whole = *value;
      whole.resize(traits.parameters[i].size);  // 3-vectors may come with three elements
      arguments->emplace_back(std::move(whole));
      continue;
    }
    const auto kind = traits.parameters[i].kind;
    if (kind != domain::ParameterKind::global_pointer && kind != domain::ParameterKind::constant_pointer) continue;
    BufferArgument bytes;
    BufferArgument result;
    if (const auto* view = std::get_if<BufferView>(&launch_.arguments[i]); view != nullptr && is_used(i)) {
      auto native = view->storage->native(device_);
      if (!native) return native.error();
      bytes = {std::move(*native), 0, view->storage->bytes()};
      const Root& root = roots_[view_.views()[i].root];
      if (root.replayed) result = {root.results, 0, view->storage->bytes()};
    }
    arguments->emplace_back(std::move(bytes));
    arguments->emplace_back(std::move(result));
  }
  const std::uint64_t items = items_of(launch_, slice.span.size());
  const std::uint64_t global = (items + kMergeGroupItems - 1) / kMergeGroupItems * kMergeGroupItems;
  const domain::NdRange range{1, {0, 0, 0}, {global, 1, 1}, {kMergeGroupItems, 1, 1}};
  ops.emplace_back(RunOp{kernel_, std::move(arguments), record(slice), range});
  return {};
}

Status DeviceReplay::finish(const std::vector<SliceWork>& slices) {
  std::vector<SliceWork> others;
  for (const SliceWork& slice : slices)
    if (slice.device != device_) others.push_back(slice);
  Batch batch;
  std::vector<std::vector<SliceResult>> fetched(roots_.size());
  for (std::size_t r = 0; r < roots_.size(); ++r) {
    if (!roots_[r].replayed) continue;
    auto results = fetch_results(machine_, *view_.roots()[r], r, others, joined(r), launch_.kernel->traits().name);
    if (!results) return results.error();
    fetched[r] = std::move(*results);
  }
  std::uint64_t bytes = 0;
  for (const SliceWork& slice : others) {
    for (std::size_t r = 0; r < roots_.size(); ++r) {
      if (!roots_[r].replayed) continue;
      Storage& storage = *view_.roots()[r];
      auto host = storage.host();
      if (!host) return host.error();
      const std::byte* from = *host;
      for (const SliceResult& result : fetched[r])
        if (result.slice == &slice) from = result.bytes.data();
      const domain::RangeSet ranges = slice.touches->roots[r].may_write.intersection(joined(r));
      bytes += ranges.bytes();
      append_writes(storage, roots_[r].results, from, ranges, batch.ops);
    }
    if (Status status = append_merge(slice, batch.ops); !status) return status;
  }
  const std::uint64_t begin = host_now();
  BatchGroup group;
  group.submit(*machine_.devices[device_], std::move(batch));
  if (Status status = group.wait(); !status) return status;
  const std::string& name = launch_.kernel->traits().name;
  machine_.observer->transfer({device_, bytes, 0, 0, 0, name});
  machine_.observer->merge({name, domain::Rung::kernel, bytes, begin, host_now(), device_});
  if (machine_.observer->logs(LogLevel::debug))
    machine_.observer->log(LogLevel::debug, name + ": " + std::to_string(bytes) + " bytes of results merged on " +
                                                machine_.devices[device_]->description().name);
  commit();
  return {};
}

void DeviceReplay::commit() {
  for (std::size_t r = 0; r < roots_.size(); ++r) {
    if (!roots_[r].replayed) continue;
    Storage& storage = *view_.roots()[r];
    const domain::RangeSet ranges = joined(r).difference(storage.write_mapped());
    const MutexGuard lock(storage.mutex());
    storage.residency().written(space_of(machine_, device_), ranges);
  }
}

Status DeviceReplay::put_aside(const std::vector<SliceWork>& completed, std::size_t root) {
  Storage& storage = *view_.roots()[root];
  auto host = storage.host();
  if (!host) return host.error();
  for (const SliceWork& slice : completed) {
    if (space_of(machine_, slice.device) != domain::kHostSpace) continue;
    domain::RangeSet ranges = slice.touches->roots[root].may_write.intersection(joined(root));
    if (ranges.empty()) continue;
    auto bytes = Scratch::make(storage.bytes());
    if (!bytes) return bytes.error();
    copy_ranges(*host, bytes->data(), ranges);
    aside_[root].push_back({&slice, std::move(ranges), std::move(*bytes)});
  }
  return {};
}

Status DeviceReplay::bring_back(std::size_t root) {
  Storage& storage = *view_.roots()[root];
  const domain::RangeSet ranges = roots_[root].kept.difference(storage.write_mapped());
  auto host = storage.host();
  if (!host) return host.error();
  Batch batch;
  append_reads(storage, roots_[root].beside, *host, ranges, batch.ops);
  if (batch.ops.empty()) return {};
  {
    BatchGroup group;
    group.submit(*machine_.devices[device_], std::move(batch));
    if (Status status = group.wait(); !status) return status;
  }
  const MutexGuard lock(storage.mutex());
  storage.residency().copied(domain::kHostSpace, ranges);
  roots_[root].kept = {};
  return {};
}

Status DeviceReplay::retreat(const std::vector<SliceWork>& completed) {
  for (std::size_t r = 0; r < roots_.size(); ++r) {
    if (!roots_[r].replayed) continue;
    if (Status status = put_aside(completed, r); !status) return status;
    if (Status status = bring_back(r); !status) return status;
  }
  for (std::size_t r = 0; r < roots_.size(); ++r) {
    const domain::RangeSet loads = Replay::loads(launch_, view_, decision_, r);
    if (loads.empty()) continue;
    if (Status status = view_.roots()[r]->gather(loads, launch_.kernel->traits().name.c_str()); !status) return status;
  }
  return {};
}

}  // namespace skmd::icd
