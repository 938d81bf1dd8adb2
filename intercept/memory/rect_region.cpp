// SPDX-License-Identifier: Apache-2.0
#include "intercept/memory/rect_region.h"

#include "intercept/backend/port/host_code.h"

namespace skmd::icd {

RectRegion RectRegion::merged() const {
  RectRegion result = *this;
  if (result.rows > 1 && result.row_pitch == result.row_bytes) {
    result.row_bytes *= result.rows;
    result.rows = 1;
  }
  if (result.rows == 1) {
    // Slices of one row are rows of one slice.
    result.rows = result.slices;
    result.row_pitch = result.slice_pitch;
    result.slices = 1;
    if (result.rows > 1 && result.row_pitch == result.row_bytes) {
      result.row_bytes *= result.rows;
      result.rows = 1;
    }
    result.slice_pitch = result.row_pitch * result.rows;
  }
  return result;
}

domain::RangeSet RectRegion::ranges() const {
  domain::RangeSet set;
  const RectRegion region = merged();
  for (std::uint64_t slice = 0; slice < region.slices; ++slice)
    for (std::uint64_t row = 0; row < region.rows; ++row) {
      const std::uint64_t first = region.begin + slice * region.slice_pitch + row * region.row_pitch;
      if (region.row_bytes != 0) set.add(domain::ByteRange{first, first + region.row_bytes});
    }
  return set;
}

namespace {

template <class Copy>
void for_each_row(const RectRegion& region, const HostBox& box, Copy&& copy) {
  for (std::uint64_t slice = 0; slice < region.slices; ++slice)
    for (std::uint64_t row = 0; row < region.rows; ++row)
      copy(region.begin + slice * region.slice_pitch + row * region.row_pitch,
           box.first + slice * box.slice_pitch + row * box.row_pitch);
}

}  // namespace

void copy_to_host(const std::byte* root, const RectRegion& region, const HostBox& to) {
  for_each_row(region, to, [&](std::uint64_t offset, std::byte* target) {
    if (target != root + offset) copy_host(target, root + offset, region.row_bytes);
  });
}

void copy_from_host(std::byte* root, const RectRegion& region, const HostBox& from) {
  for_each_row(region, from, [&](std::uint64_t offset, const std::byte* source) {
    if (source != root + offset) copy_host(root + offset, source, region.row_bytes);
  });
}

bool overlap(const RectRegion& a, const RectRegion& b) {
  const std::uint64_t slice_size = (a.rows - 1) * a.row_pitch + a.row_bytes;
  const std::uint64_t block_size = (a.slices - 1) * a.slice_pitch + slice_size;
  if (b.begin + block_size <= a.begin || a.begin + block_size <= b.begin) return false;
  // The rows (slices) of one may lie in the gaps between the rows (slices) of the other.
  const auto in_gap = [&](std::uint64_t pitch, std::uint64_t size) {
    if (pitch == 0) return false;
    const std::uint64_t da = a.begin % pitch;
    const std::uint64_t db = b.begin % pitch;
    return (db >= da + size && db + size <= da + pitch) || (da >= db + size && da + size <= db + pitch);
  };
  return !in_gap(a.row_pitch, a.row_bytes) && !in_gap(a.slice_pitch, slice_size);
}

}  // namespace skmd::icd
