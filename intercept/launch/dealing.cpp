// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/dealing.h"

#include <algorithm>
#include <latch>
#include <new>
#include <utility>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/decision_constants.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/machine/device_query.h"
#include "intercept/machine/machine.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"

namespace skmd::icd {
namespace {

using namespace tuning;

bool may_be_dealt(const domain::KernelTraits& traits, const LaunchView& view) {
  if ((traits.facts & domain::kFactGlobalAtomics) != 0) return false;
  const auto& roots = view.shape().whole()->roots;
  for (std::size_t r = 0; r < roots.size(); ++r) {
    if (roots[r].write_unknown) return false;
    if (view.roots()[r]->is_image() && !roots[r].may_write.empty()) return false;
  }
  return true;
}

bool is_wanted(const Machine& machine, const domain::KernelTraits& traits, const LaunchView& view,
               const Decision& decision) {
  if (machine.settings.verify || machine.settings.check == CheckMode::deopt) return false;
  if (machine.settings.policy.mode == domain::PartitionMode::dynamic) return true;
  if (machine.settings.policy.mode != domain::PartitionMode::automatic || decision.exploring) return false;
  if ((traits.facts & domain::kFactDataDecidesWork) == 0) return false;
  const double seconds = kCuttingEvaluations * view.shape().planning_costs().planning;
  LaunchBudget& budget = view.shape().budget();
  if (!budget.affords(seconds)) return false;
  budget.spend(seconds);
  return true;
}

/// Whether what each chunk may write is touched by no other, so that it does not matter where they run.
bool independent(const Dealing& dealing, std::size_t roots) {
  for (std::size_t r = 0; r < roots; ++r) {
    domain::RangeSet written;
    for (const auto& slice : dealing.touches)
      for (const SharedFootprint& touched : slice) {
        if (touched->roots[r].may_write.intersects(written)) return false;
        written.add(touched->roots[r].may_write);
      }
    if (written.empty()) continue;
    for (const auto& slice : dealing.touches)
      for (const SharedFootprint& touched : slice)
        if (touched->roots[r].reads.difference(touched->roots[r].may_write).intersects(written)) return false;
  }
  return true;
}

}  // namespace

std::shared_ptr<const Dealing> deal(const Machine& machine, const Launch& launch, const LaunchView& view,
                                    const Decision& decision) {
  const domain::KernelTraits& traits = launch.kernel->traits();
  if (decision.slices.size() < 2 || !may_be_dealt(traits, view) || !is_wanted(machine, traits, view, decision))
    return nullptr;
  const std::uint64_t minimum = machine.settings.policy.minimum;
  std::vector<domain::Slice> slices;
  for (const SliceWork& slice : decision.slices) slices.push_back({slice.device, slice.span});
  std::vector<std::uint64_t> least(machine.devices.size(), minimum);
  if (minimum == 0)
    for (const domain::Slice& slice : slices)
      least[slice.device] =
          std::max(1u, query<cl_uint>(*machine.devices[slice.device], CL_DEVICE_MAX_COMPUTE_UNITS).value_or(1));
  auto dealing = std::make_shared<Dealing>();
  dealing->slices = domain::guided_chunks(slices, least, domain::row_of_groups(launch.range));
  for (const domain::ChunkedSlice& slice : dealing->slices) {
    dealing->touches.emplace_back();
    for (const domain::GroupSpan& chunk : slice.chunks)
      dealing->touches.back().push_back(view.shape().footprint(chunk));
  }
  return independent(*dealing, view.roots().size()) ? dealing : nullptr;
}

DealtLaunch::DealtLaunch(Machine& machine, const Launch& launch, const LaunchView& view, const Dealing& dealing,
                         Event& event, RunningLaunch* running)
    : machine_(machine),
      launch_(launch),
      view_(view),
      dealing_(dealing),
      event_(event),
      running_(running),
      dealer_(dealing.slices) {
  unfinished_.failed_on.resize(machine.devices.size());
  std::size_t chunks = 0;
  for (const domain::ChunkedSlice& slice : dealing.slices) chunks += slice.chunks.size();
  // A chunk whose results are committed must not fail to be counted: it would run twice.
  reports_.reserve(chunks);
  unfinished_.spans.reserve(chunks);
}

Status DealtLaunch::run() {
  std::vector<std::uint32_t> others;
  for (std::size_t s = 1; s < dealing_.slices.size(); ++s) others.push_back(dealing_.slices[s].device);
  const auto ended = std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(others.size()));
  std::size_t posted = 0;
  try {
    for (; posted < others.size(); ++posted)
      machine_.executor->post([this, ended, device = others[posted]] {
        work(device);
        ended->count_down();
      });
  } catch (const std::bad_alloc&) {  // fewer devices take part
    ended->count_down(static_cast<std::ptrdiff_t>(others.size() - posted));
  }
  work(dealing_.slices.front().device);
  ended->wait();
  collect_the_rest();
  learn();
  return failure_;
}

void DealtLaunch::learn() {
  const MutexGuard lock(mutex_);
  if (launch_.part != nullptr) return;
  const auto point = [&]() -> const domain::Point& { return view_.shape().point(launch_); };
  for (const domain::ChunkedSlice& slice : dealing_.slices) {
    std::uint64_t groups = 0, nanoseconds = 0;
    for (const SliceReport& report : reports_) {
      if (report.device != slice.device || report.run_ns == 0) continue;
      groups += report.span.size();
      nanoseconds += report.run_ns;
    }
    const bool first = (first_uses_ >> slice.device & 1) != 0;
    if (groups != 0)
      machine_.model->learn(
          {launch_.kernel->id(), slice.device, launch_.range, {0, groups}, nanoseconds, first, point});
  }
}

std::optional<domain::ChunkIndex> DealtLaunch::next(std::uint32_t device) {
  if (running_ != nullptr && running_->asked()) return std::nullopt;
  const MutexGuard lock(mutex_);
  return dealer_.next(device);
}

void DealtLaunch::work(std::uint32_t device) {
  while (const auto index = next(device)) {
    Status status;
    try {
      status = run_chunk(device, *index);
    } catch (const std::bad_alloc&) {
      // The chunk may have run, and its results may count: to run it again could apply it twice.
      status = domain::Error{CL_OUT_OF_HOST_MEMORY, {}};
      const MutexGuard lock(mutex_);
      unfinished_.inputs_intact = false;
    }
    if (!status) return leave(device, *index, std::move(status));
  }
}

Status DealtLaunch::run_chunk(std::uint32_t device, const domain::ChunkIndex& index) {
  Decision part;
  part.whole = domain::NotSplit::mode_single;  // nothing is joined
  part.slices.push_back(
      {device, dealing_.slices[index.slice].chunks[index.chunk], dealing_.touches[index.slice][index.chunk], true});
  Conductor conductor(machine_, launch_, view_, part, event_, GivesWay::no, running_);  // chunks are short
  Status status = conductor.run();
  const MutexGuard lock(mutex_);
  first_uses_ |= conductor.first_uses();
  if (status) {
    for (const SliceReport& report : conductor.reports()) reports_.push_back(report);
    return {};
  }
  unfinished_.inputs_intact = unfinished_.inputs_intact && conductor.unfinished().inputs_intact;
  unfinished_.fault = std::max(unfinished_.fault, conductor.unfinished().fault);
  if (conductor.unfinished().fault == Fault::device) retract(device);
  return status;
}

void DealtLaunch::retract(std::uint32_t device) {
  if (machine_.devices[device]->description().space == domain::kHostSpace) return;
  const auto is_lost = [&](const SliceReport& report) { return report.device == device; };
  for (const SliceReport& report : reports_) {
    if (!is_lost(report)) continue;
    unfinished_.spans.push_back(report.span);
    // What the chunk read and wrote is on the lost device only.
    for (const domain::RangeSet& in_place : view_.shape().footprint(report.span)->in_place)
      unfinished_.inputs_intact = unfinished_.inputs_intact && in_place.empty();
  }
  std::erase_if(reports_, is_lost);
}

void DealtLaunch::leave(std::uint32_t device, const domain::ChunkIndex& index, Status status) {
  const MutexGuard lock(mutex_);
  unfinished_.failed_on[device] = true;
  unfinished_.spans.push_back(dealing_.slices[index.slice].chunks[index.chunk]);
  if (failure_) failure_ = std::move(status);
}

void DealtLaunch::collect_the_rest() {
  const MutexGuard lock(mutex_);
  // Where every device has left, chunks are left, too.
  while (const auto index = dealer_.next(0)) {
    const domain::GroupSpan& chunk = dealing_.slices[index->slice].chunks[index->chunk];
    if (failure_)
      unfinished_.stopped.push_back({chunk, dealing_.slices[index->slice].device});
    else
      unfinished_.spans.push_back(chunk);
  }
}

}  // namespace skmd::icd
