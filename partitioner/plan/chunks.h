// SPDX-License-Identifier: Apache-2.0
// A launch in chunks that are assigned while it runs, to devices as they become free: for kernels whose groups do very
// different amounts of work. Borders are fixed before the launch, so that the chunks' footprints are known; the device
// of a chunk is not. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "partitioner/base/nd_range.h"
#include "partitioner/plan/partition.h"

namespace skmd::domain {

/// A device's part of the launch, cut into chunks of which the first are the longest: guided self-scheduling
/// (Polychronopoulos and Kuck 1987) within the part.
struct ChunkedSlice {
  std::uint32_t device = 0;
  std::vector<GroupSpan> chunks;  // ascending, not empty
};

/// Cuts each slice into chunks: each takes a quarter of what is left of its slice, `minimum[device]` groups at least.
/// Chunks end at multiples of `granularity` where they are longer than that. Preconditions: slices as in a Plan;
/// a minimum, >= 1, for each device of a slice.
std::vector<ChunkedSlice> guided_chunks(std::span<const Slice> slices, std::span<const std::uint64_t> minimum,
                                        std::uint64_t granularity);

struct ChunkIndex {
  std::size_t slice = 0, chunk = 0;
  bool operator==(const ChunkIndex&) const = default;
};

/// Deals chunks: to a device those of its own slice in order, then the last ones, which are the shortest, of the slice
/// that has most groups left. Not thread-safe.
class ChunkDealer {
 public:
  explicit ChunkDealer(const std::vector<ChunkedSlice>& slices);
  /// The next chunk for `device`; each chunk is returned once. Empty when all are assigned.
  std::optional<ChunkIndex> next(std::uint32_t device);

 private:
  struct Left {
    std::size_t first = 0, last = 0;  // chunks that are not dealt out
    std::uint64_t groups = 0;
  };
  ChunkIndex take(std::size_t slice, std::size_t chunk);

  const std::vector<ChunkedSlice>& slices_;
  std::vector<Left> left_;
};

}  // namespace skmd::domain
