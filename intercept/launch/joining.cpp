// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/joining.h"

#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "intercept/object/event.h"
#include "intercept/object/mover.h"

namespace skmd::icd {

Result<Scratch> Scratch::make(std::uint64_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return domain::Error{CL_OUT_OF_HOST_MEMORY, "no host memory for " + std::to_string(bytes) + " bytes of results"};
  return Scratch(static_cast<std::byte*>(pages), bytes);
}

Scratch::Scratch(Scratch&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Scratch& Scratch::operator=(Scratch&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Scratch::~Scratch() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

void copy_ranges(const std::byte* from, std::byte* to, const domain::RangeSet& ranges) {
  for (const domain::ByteRange& range : ranges.ranges())
    std::memcpy(to + range.begin, from + range.begin, range.size());
}

Joining::Joining(Machine& machine, Storage& storage, std::size_t root, const domain::MergeDecision& merge)
    : machine_(machine), storage_(storage), root_(root), merge_(merge) {}

Status Joining::begin() {
  auto scratch = Scratch::make(storage_.bytes());
  if (!scratch) return scratch.error();
  before_ = std::make_unique<Scratch>(std::move(*scratch));
  auto host = storage_.host();
  if (!host) return host.error();
  copy_ranges(*host, before_->data(), merge_.joined[root_]);
  return {};
}

void Joining::restore() {
  auto host = storage_.host();
  if (before_ && host) copy_ranges(before_->data(), *host, merge_.joined[root_].difference(storage_.write_mapped()));
}

Status Joining::fetch(const SliceWork& slice, const domain::RangeSet& ranges, std::byte* to,
                      const std::string& kernel) {
  auto native = storage_.native(slice.device);
  if (!native) return native.error();
  Batch batch;
  batch.want_times = machine_.observer->wants_times();
  for (const domain::RowRun& rows : domain::row_runs(ranges)) batch.ops.emplace_back(ReadOp{*native, to, rows});
  BatchGroup group;
  TransferReport report{slice.device, 0, ranges.bytes(), 0, 0, kernel};
  group.submit(*machine_.devices[slice.device], std::move(batch), [&report](const BatchResult& result) {
    if (result.times.empty()) return;
    report.start = result.times.front().start;
    report.end = result.times.back().end;
  });
  if (auto status = group.wait(); !status) return status;
  machine_.observer->transfer(report);
  return {};
}

void Joining::join(const std::byte* result, std::byte* merged, const domain::RangeSet& ranges) const {
  if (merge_.per_root[root_] == domain::Rung::diff)
    return domain::merge_difference(before_->data(), result, merged, ranges, merge_.element[root_]);
  for (const domain::CommutingBytes& part : merge_.commuting[root_])
    domain::merge_commuting(before_->data(), result, merged, ranges.intersection(part.bytes), part.operation,
                            part.width);
}

Status Joining::finish(const std::vector<SliceWork>& slices, const std::string& kernel) {
  auto host = storage_.host();
  if (!host) return host.error();
  for (const SliceWork& slice : slices) {
    // Slices in host memory have written the shadow itself: it is the copy that the others are merged into.
    if (machine_.devices[slice.device]->description().space == domain::kHostSpace) continue;
    const domain::RangeSet own = slice.touches->roots[root_].may_write.intersection(merge_.joined[root_]);
    if (own.empty()) continue;
    auto result = Scratch::make(storage_.bytes());
    if (!result) return result.error();
    if (auto status = fetch(slice, own, result->data(), kernel); !status) return status;
    const std::uint64_t begin = now_ns();
    // What the application writes through a map meanwhile is its own, whatever a device was sent of it.
    const domain::RangeSet ranges = own.difference(storage_.write_mapped());
    join(result->data(), *host, ranges);
    machine_.observer->merge({kernel, merge_.per_root[root_], ranges.bytes(), begin, now_ns()});
  }
  storage_.host_written(merge_.joined[root_].difference(storage_.write_mapped()));
  return {};
}

}  // namespace skmd::icd
