// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/profiling_spans.h"

#include <emmintrin.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "intercept/backend/port/host_code.h"
#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/running_constants.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/mover.h"
#include "intercept/object/launch.h"

namespace skmd::icd {
namespace {

using namespace tuning;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Takes `ranges` from `base` out of all the processor's caches.
void flush(const std::byte* base, const domain::RangeSet& ranges) {
  constexpr std::uint64_t kLine = 64;  // bytes of a cache line
  for_each_piece(ranges, 1, [&](const domain::ByteRange& piece) {
    const std::byte* const end = base + piece.end;
    for (const std::byte* line = base + piece.begin; line < end; line += kLine) _mm_clflush(line);
    if (piece.size() != 0) _mm_clflush(end - 1);
  });
  _mm_mfence();
}

}  // namespace

Result<ProfilingSpans> ProfilingSpans::make(Machine& machine, const Launch& launch, const LaunchView& view,
                                            std::uint32_t device, std::span<const std::byte* const> sources,
                                            std::span<const domain::RangeSet> ranges, bool warm) {
  ProfilingSpans spans(machine, launch, view, device, warm);
  auto copies = PrivateCopies::make(machine, launch, view, device, sources, ranges);
  if (!copies) return copies.error();
  spans.copies_.emplace(std::move(*copies));
  spans.ranges_.assign(ranges.begin(), ranges.end());
  for (const domain::RootFootprint& root : view.whole().roots)
    spans.restored_.push_back(root.may_write.intersection(root.reads));
  if (!warm) spans.choose_evictor();
  return spans;
}

void ProfilingSpans::choose_evictor() {
  if (device().description().space == domain::kHostSpace) return;  // lines are flushed one by one
  std::uint64_t cache = 0;
  const auto told = device().info(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  if (!told || told->size() != sizeof cache) return;
  std::memcpy(&cache, told->data(), sizeof cache);
  const std::uint64_t most = device().description().kind == DeviceKind::cpu ? kMaxFilledOnHost : kMaxFilled;
  evictor_bytes_ = std::min(kTimesTheCache * cache, most);
  if (evictor_bytes_ == 0) return;
  if (auto memory = device().allocate(evictor_bytes_, nullptr)) evictor_ = std::move(*memory);
  // Short of memory: the spans are timed warmer than they should be.
}

Result<std::uint64_t> ProfilingSpans::timed(std::vector<Op> ops) {
  if (ops.empty()) return std::uint64_t{0};
  std::uint64_t sum = 0;
  bool told = false;
  Batch batch;
  batch.ops = std::move(ops);
  batch.want_times = true;
  BatchGroup group;
  group.submit(device(), std::move(batch), [&](const BatchResult& result) {
    for (const OpTime& time : result.times) {
      if (time.end == time.start) continue;
      told = true;
      sum += time.device_ns != 0 ? time.device_ns : time.end - time.start;
    }
  });
  if (auto status = group.wait(); !status) return status.error();
  if (!told) return domain::Error{CL_PROFILING_INFO_NOT_AVAILABLE, "the device tells no times"};
  return sum;
}

Result<std::uint64_t> ProfilingSpans::bring() {
  std::vector<Op> ops;
  for (std::size_t r = 0; r < ranges_.size(); ++r) copies_->copy(r, ranges_[r], ops);
  return timed(std::move(ops));
}

Result<std::uint64_t> ProfilingSpans::fetch() {
  std::vector<Op> ops;
  for (std::size_t r = 0; r < ranges_.size(); ++r) copies_->fetch(r, view_.whole().roots[r].may_write, ops);
  return timed(std::move(ops));
}

Status ProfilingSpans::cool(const SpanFootprint& touches) {
  if (evictor_) {
    Batch batch;
    batch.ops.emplace_back(FillOp{evictor_, std::vector<std::byte>(4), 0, evictor_bytes_});
    BatchGroup group;
    group.submit(device(), std::move(batch));
    return group.wait();
  }
  if (device().description().space != domain::kHostSpace) return {};
  for (std::size_t r = 0; r < touches.roots.size(); ++r) {
    domain::RangeSet ranges = touches.roots[r].reads;
    ranges.add(touches.roots[r].may_write);
    if (!view_.roots()[r]->is_image()) flush(copies_->contents(r), ranges);
  }
  return {};
}

Result<TimedSpan> ProfilingSpans::run(const domain::GroupSpan& span) {
  const Clock::time_point begin = Clock::now();
  std::vector<Op> before;
  for (std::size_t r = 0; r < restored_.size(); ++r)
    if (!restored_[r].empty()) copies_->copy(r, restored_[r], before);
  if (!before.empty()) {
    Batch batch;
    batch.ops = std::move(before);
    BatchGroup group;
    group.submit(device(), std::move(batch));
    if (auto status = group.wait(); !status) return status.error();
  }
  if (!warm_)
    if (auto status = cool(*view_.shape().footprint(span)); !status) return status.error();
  const bool first = is_first_use(launch_, view_, device_, span);
  mark_used(launch_, view_, device_, span);
  std::vector<Op> ops;
  append_span(launch_, copies_->call(), span, ops);
  const auto nanoseconds = timed(std::move(ops));
  if (!nanoseconds) return nanoseconds.error();
  return TimedSpan{{*nanoseconds, 0, 0, first}, seconds_since(begin)};
}

}  // namespace skmd::icd
