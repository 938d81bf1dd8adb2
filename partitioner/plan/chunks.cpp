// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/chunks.h"

#include <algorithm>

#include "partitioner/plan/plan_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

std::uint64_t end_of_chunk(std::uint64_t begin, std::uint64_t last, std::uint64_t minimum, std::uint64_t granularity) {
  const std::uint64_t left = last - begin;
  const std::uint64_t wanted = std::max(minimum, left / kChunkPart + (left % kChunkPart != 0 ? 1 : 0));
  if (wanted >= left) return last;
  std::uint64_t end = begin + wanted;
  if (granularity > 1 && wanted > granularity) end -= end % granularity;
  return end > begin ? end : begin + wanted;
}

}  // namespace

std::vector<ChunkedSlice> guided_chunks(std::span<const Slice> slices, std::span<const std::uint64_t> minimum,
                                        std::uint64_t granularity) {
  std::vector<ChunkedSlice> result;
  for (const Slice& slice : slices) {
    ChunkedSlice chunked{slice.device, {}};
    for (std::uint64_t at = slice.span.first; at < slice.span.last;) {
      const std::uint64_t end = end_of_chunk(at, slice.span.last, minimum[slice.device], granularity);
      chunked.chunks.push_back({at, end});
      at = end;
    }
    result.push_back(std::move(chunked));
  }
  return result;
}

ChunkDealer::ChunkDealer(const std::vector<ChunkedSlice>& slices) : slices_(slices) {
  for (const ChunkedSlice& slice : slices) {
    Left left{0, slice.chunks.size(), 0};
    for (const GroupSpan& chunk : slice.chunks) left.groups += chunk.size();
    left_.push_back(left);
  }
}

ChunkIndex ChunkDealer::take(std::size_t slice, std::size_t chunk) {
  left_[slice].groups -= slices_[slice].chunks[chunk].size();
  return {slice, chunk};
}

std::optional<ChunkIndex> ChunkDealer::next(std::uint32_t device) {
  std::size_t fullest = 0;
  for (std::size_t s = 0; s < left_.size(); ++s) {
    if (slices_[s].device == device && left_[s].first < left_[s].last) return take(s, left_[s].first++);
    if (left_[s].groups > left_[fullest].groups) fullest = s;
  }
  if (left_.empty() || left_[fullest].groups == 0) return std::nullopt;
  return take(fullest, --left_[fullest].last);
}

}  // namespace skmd::domain
