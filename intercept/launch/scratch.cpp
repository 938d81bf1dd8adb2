// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/scratch.h"

#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <utility>

#include "intercept/backend/host_code.h"
#include "intercept/object/mover.h"

namespace skmd::icd {

Result<Scratch> Scratch::make(std::uint64_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return domain::Error{CL_OUT_OF_HOST_MEMORY, "no host memory for " + std::to_string(bytes) + " bytes of results"};
  // Results are read in any order: fewer, larger pages.
  (void)madvise(pages, bytes, MADV_HUGEPAGE);
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
  for_each_piece(ranges, 1, [&](const domain::ByteRange& piece) {
    std::memcpy(to + piece.begin, from + piece.begin, piece.size());
  });
}

Result<std::vector<SliceResult>> fetch_results(Machine& machine, Storage& storage, std::size_t root,
                                               const std::vector<SliceWork>& slices, const domain::RangeSet& joined,
                                               const std::string& kernel) {
  std::vector<SliceResult> results;
  for (const SliceWork& slice : slices) {
    // Slices in host memory have written the shadow itself: it is the copy that the others are merged into.
    if (machine.devices[slice.device]->description().space == domain::kHostSpace) continue;
    domain::RangeSet ranges = slice.touches->roots[root].may_write.intersection(joined);
    if (ranges.empty()) continue;
    auto bytes = Scratch::make(storage.bytes());
    if (!bytes) return bytes.error();
    results.push_back({&slice, std::move(ranges), std::move(*bytes)});
  }
  std::vector<TransferReport> reports(results.size());
  BatchGroup group;
  Status status;
  for (std::size_t i = 0; i < results.size() && status; ++i) {
    const SliceWork& slice = *results[i].slice;
    auto native = storage.native(slice.device);
    if (!native) {
      status = native.error();
      break;
    }
    Batch batch;
    batch.want_times = machine.observer->wants_times();
    const domain::RangeSet& ranges = results[i].ranges;
    for (const domain::RowRun& rows : domain::row_runs(ranges))
      batch.ops.emplace_back(ReadOp{*native, results[i].bytes.data(), rows});
    reports[i] = {slice.device, 0, ranges.bytes(), 0, 0, kernel};
    group.submit(*machine.devices[slice.device], std::move(batch), [&report = reports[i]](const BatchResult& result) {
      if (result.times.empty()) return;
      report.start = result.times.front().start;
      report.end = result.times.back().end;
    });
  }
  // Whatever was submitted must have ended before the memory that it writes may go.
  if (const Status ended = group.wait(); status && !ended) status = ended;
  if (!status) return status.error();
  for (const TransferReport& report : reports) machine.observer->transfer(report);
  return results;
}

}  // namespace skmd::icd
