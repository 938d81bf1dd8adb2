// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/replay.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/port/host_code.h"
#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/event.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"

namespace skmd::icd {
namespace {

constexpr std::size_t kValuePadding = 16;  // bytes: code may read a whole vector

bool is_loaded(const domain::KernelTraits& traits, std::size_t argument) {
  return std::find(traits.merge_loads.begin(), traits.merge_loads.end(), argument) != traits.merge_loads.end();
}

/// A launch as span code sees it.
struct Frame {
  cpu::SpanFrame frame;
  std::vector<cpu::SpanArgument> arguments;
  std::vector<std::vector<std::byte>> values;

  explicit Frame(const Launch& launch) : arguments(launch.arguments.size()) {
    const domain::Extent3 groups = launch.range.group_counts();
    frame.work_dim = launch.range.work_dim;
    for (std::size_t d = 0; d < 3; ++d) {
      frame.global_offset[d] = launch.range.offset[d];
      frame.global_size[d] = launch.range.global[d];
      frame.group_count[d] = groups[d];
      frame.local_size[d] = launch.range.local[d];
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto* value = std::get_if<std::vector<std::byte>>(&launch.arguments[i]);
      if (value == nullptr) continue;
      values.push_back(*value);
      values.back().resize((value->size() + kValuePadding) / kValuePadding * kValuePadding);
      arguments[i] = {values.back().data(), nullptr, value->size()};
    }
    frame.arguments = arguments.data();
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
};

bool in_place(const Machine& machine, const SliceWork& slice) {
  return machine.devices[slice.device]->description().space == domain::kHostSpace;
}

}  // namespace

Replay::Replay(Machine& machine, const Launch& launch, const LaunchView& view, const Decision& decision)
    : machine_(machine), launch_(launch), decision_(decision) {
  for (std::size_t r = 0; r < view.roots().size(); ++r) {
    if (decision.merge.per_root[r] != domain::Rung::kernel) continue;
    Root root;
    root.index = r;
    root.storage = view.roots()[r].get();
    roots_.push_back(std::move(root));
  }
}

domain::RangeSet Replay::loads(const Launch& launch, const LaunchView& view, const Decision& decision,
                               std::size_t root) {
  domain::RangeSet loaded;
  const auto& rungs = decision.merge.per_root;
  if (std::find(rungs.begin(), rungs.end(), domain::Rung::kernel) == rungs.end()) return loaded;
  for (std::size_t i = 0; i < view.views().size(); ++i) {
    if (view.views()[i].root != root || !is_loaded(launch.kernel->traits(), i)) continue;
    for (const SliceWork& slice : decision.slices) loaded.add(slice.touches->roots[root].reads);
  }
  return loaded;
}

Status Replay::begin(std::vector<domain::RangeSet> elsewhere) {
  const bool shadow_is_written = std::any_of(decision_.slices.begin(), decision_.slices.end(),
                                             [&](const SliceWork& slice) { return in_place(machine_, slice); });
  for (Root& root : roots_) {
    if (!elsewhere.empty()) root.elsewhere = std::move(elsewhere[root.index]);
    auto host = root.storage->host();
    if (!host) return host.error();
    if (!shadow_is_written) continue;
    auto before = Scratch::make(root.storage->bytes());
    if (!before) return before.error();
    copy_ranges(*host, before->data(), decision_.merge.joined[root.index].difference(root.elsewhere));
    root.before.emplace(std::move(*before));
  }
  return {};
}

void Replay::restore() {
  for (Root& root : roots_) {
    auto host = root.storage->host();
    if (root.before && host)
      copy_ranges(
          root.before->data(), *host,
          decision_.merge.joined[root.index].difference(root.elsewhere).difference(root.storage->write_mapped()));
  }
}

Status Replay::prepare(Root& root, const std::vector<SliceWork>& slices) {
  auto host = root.storage->host();
  if (!host) return host.error();
  root.merged = *host;
  // A merge function stores wherever the kernel did; bytes that the application maps meanwhile are left to it.
  if (root.storage->write_mapped().intersects(decision_.merge.joined[root.index])) {
    auto aside = Scratch::make(root.storage->bytes());
    if (!aside) return aside.error();
    copy_ranges(*host, aside->data(), decision_.merge.joined[root.index]);
    root.merged = aside->data();
    root.aside.emplace(std::move(*aside));
  }
  auto results = fetch_results(machine_, *root.storage, root.index, slices, decision_.merge.joined[root.index],
                               launch_.kernel->traits().name);
  if (!results) return results.error();
  root.results = std::move(*results);
  return {};
}

void Replay::replay(const SliceWork& slice) {
  Frame frame(launch_);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < frame.arguments.size(); ++i) {
    const auto* view = std::get_if<BufferView>(&launch_.arguments[i]);
    if (view == nullptr) continue;
    // Loaded bytes are valid there, and stay as they are: decide_merge() has seen to that.
    if (is_loaded(launch_.kernel->traits(), i))
      if (auto host = view->storage->host()) frame.arguments[i] = {*host + view->offset, nullptr, view->size};
    for (const Root& root : roots_) {
      if (root.storage != view->storage.get()) continue;
      for (const SliceResult& result : root.results)
        if (result.slice == &slice)
          frame.arguments[i] = {root.merged + view->offset, result.bytes.data() + view->offset, view->size};
    }
  }
  for (const Root& root : roots_) bytes += slice.touches->roots[root.index].may_write.bytes();
  const std::uint64_t begin = host_now();
  cpu::run_merge(cpu::Pool::shared(), launch_.kernel->merge_function(), frame.frame, frame.arguments.size(),
                 slice.span.first, slice.span.last);
  machine_.observer->merge({launch_.kernel->traits().name, domain::Rung::kernel, bytes, begin, host_now()});
}

void Replay::commit(Root& root) {
  const domain::RangeSet ranges = decision_.merge.joined[root.index].difference(root.storage->write_mapped());
  if (root.aside)
    if (auto host = root.storage->host()) copy_ranges(root.aside->data(), *host, ranges);
  root.storage->host_written(ranges);
}

Status Replay::finish(const std::vector<SliceWork>& slices, std::vector<std::vector<SliceResult>> aside) {
  for (Root& root : roots_) {
    if (auto status = prepare(root, slices); !status) return status;
    if (aside.empty()) continue;
    for (SliceResult& result : aside[root.index]) root.results.push_back(std::move(result));
  }
  for (const SliceWork& slice : slices)
    if (!in_place(machine_, slice) || !aside.empty()) replay(slice);
  for (Root& root : roots_) commit(root);
  return {};
}

}  // namespace skmd::icd
