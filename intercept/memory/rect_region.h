// SPDX-License-Identifier: Apache-2.0
// A box of bytes inside a root: rows of equal length at two pitches. Linear ranges, rectangles of buffers and boxes of
// images are all regions, so that every transfer command is written once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "partitioner/base/byte_ranges.h"

namespace skmd::icd {

struct RectRegion {
  std::uint64_t begin = 0;  // offset of the first byte in the root
  std::uint64_t row_bytes = 0;
  std::uint64_t rows = 1;  // of one slice
  std::uint64_t slices = 1;
  std::uint64_t row_pitch = 0;
  std::uint64_t slice_pitch = 0;

  static RectRegion linear(std::uint64_t begin, std::uint64_t bytes) { return {begin, bytes, 1, 1, bytes, bytes}; }

  [[nodiscard]] std::uint64_t bytes() const { return row_bytes * rows * slices; }
  [[nodiscard]] bool is_linear() const { return rows == 1 && slices == 1; }
  /// The same bytes in as few rows as the pitches allow.
  [[nodiscard]] RectRegion merged() const;
  /// Exactly the bytes of the region, as root offsets.
  [[nodiscard]] domain::RangeSet ranges() const;
};

/// The application's side of a transfer: rows and slices are those of the region on the other side.
struct HostBox {
  std::byte* first = nullptr;  // first byte of the first row
  std::uint64_t row_pitch = 0;
  std::uint64_t slice_pitch = 0;
};

/// Copies a region of the bytes at `root` to or from a host box. Either side may lie inside the other's memory: a row
/// that is its own target is left alone.
void copy_to_host(const std::byte* root, const RectRegion& region, const HostBox& to);
void copy_from_host(std::byte* root, const RectRegion& region, const HostBox& from);

/// Two regions of one root with equal extents and pitches share bytes (the specification's appendix on
/// CL_MEM_COPY_OVERLAP).
bool overlap(const RectRegion& a, const RectRegion& b);

}  // namespace skmd::icd
