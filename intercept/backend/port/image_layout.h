// SPDX-License-Identifier: Apache-2.0
// Images as rows of bytes: the tight layout that their contents have in host memory, and boxes of it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "intercept/backend/port/port.h"

namespace skmd::icd {

/// Extents by which origins and regions are checked, in elements, rows or layers, slices or layers. Pitches in bytes.
struct ImageLayout {
  std::array<std::uint64_t, 3> extent{1, 1, 1};
  std::uint64_t element_bytes = 0;
  std::uint64_t row_pitch = 0;
  std::uint64_t slice_pitch = 0;
  [[nodiscard]] std::uint64_t bytes() const { return slice_pitch * extent[2]; }
};
ImageLayout tight_layout(const ImageShape& shape);

/// 1D, 2D: 0 to 2; array types count their layers as the next dimension.
unsigned dimensions(cl_mem_object_type type);
bool is_array(cl_mem_object_type type);

/// A box as clEnqueueReadImage takes it. `begin`: where its first element lies in the tight layout; `row_pitch`: of the
/// host's memory, 0 where rows follow each other.
struct ImageBox {
  std::array<std::size_t, 3> origin{0, 0, 0};
  std::array<std::size_t, 3> region{1, 1, 1};
  std::uint64_t begin = 0;
  std::size_t row_pitch = 0;
  bool operator==(const ImageBox&) const = default;
};

/// Boxes that cover exactly the bytes of `rows` in the tight layout; elements that are there in part count as whole.
std::vector<ImageBox> image_boxes(const ImageShape& shape, const domain::RowRun& rows);

}  // namespace skmd::icd
