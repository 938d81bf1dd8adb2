// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/scratch.h"

#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <utility>

#include "intercept/backend/port/host_code.h"
#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/fetch.h"
#include "intercept/memory/storage.h"

namespace skmd::icd {

Result<Scratch> Scratch::make(std::uint64_t bytes) {
  std::byte* const pages = map_host(bytes);
  if (pages == nullptr)
    return domain::Error{CL_OUT_OF_HOST_MEMORY, "no host memory for " + std::to_string(bytes) + " bytes of results"};
  return Scratch(pages, bytes);
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
  std::vector<Fetch> fetches;
  for (const SliceResult& result : results)
    fetches.push_back({&storage, result.slice->device, result.bytes.data(), result.ranges});
  if (Status status = fetch(machine, fetches, kernel); !status) return status.error();
  return results;
}

}  // namespace skmd::icd
