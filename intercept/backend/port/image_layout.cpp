// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/port/image_layout.h"

#include <algorithm>

namespace skmd::icd {

unsigned dimensions(cl_mem_object_type type) {
  switch (type) {
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
      return 1;
    case CL_MEM_OBJECT_IMAGE2D:
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
      return 2;
    default:
      return 3;
  }
}

bool is_array(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

ImageLayout tight_layout(const ImageShape& shape) {
  ImageLayout layout;
  layout.element_bytes = shape.element_bytes;
  layout.extent[0] = shape.desc.image_width;
  const unsigned count = dimensions(shape.desc.image_type);
  if (count >= 2)
    layout.extent[1] =
        shape.desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? shape.desc.image_array_size : shape.desc.image_height;
  if (count >= 3)
    layout.extent[2] =
        shape.desc.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? shape.desc.image_array_size : shape.desc.image_depth;
  layout.row_pitch = layout.extent[0] * layout.element_bytes;
  layout.slice_pitch = layout.row_pitch * layout.extent[1];
  return layout;
}

namespace {

class Cutter {
 public:
  explicit Cutter(const ImageShape& shape)
      : layout_(tight_layout(shape)), layers_are_rows_(shape.desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY) {}

  /// Elements [x, x + count) of each of `rows` rows from number `row` on.
  void add_columns(std::uint64_t row, std::uint64_t rows, std::uint64_t x, std::uint64_t count) {
    if (count == 0) return;
    const bool whole = x == 0 && count == layout_.extent[0];
    if (whole) return add_rows(row, row + rows);
    // Pitches of one-dimensional arrays lie between layers, and drivers read them in different ways.
    const std::uint64_t most = layers_are_rows_ ? 1 : layout_.extent[1];
    while (rows > 0) {
      const std::uint64_t y = row % layout_.extent[1];
      const std::uint64_t part = std::min({rows, layout_.extent[1] - y, most});
      add({x, y, row / layout_.extent[1]}, {count, part, 1}, part > 1 ? layout_.row_pitch : 0);
      row += part;
      rows -= part;
    }
  }

  void add_range(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t width = layout_.extent[0];
    const std::uint64_t first = begin / layout_.element_bytes;
    const std::uint64_t last = (end + layout_.element_bytes - 1) / layout_.element_bytes;
    const std::uint64_t row = first / width;
    if (last <= (row + 1) * width) return add_columns(row, 1, first % width, last - first);
    const std::uint64_t whole = first % width == 0 ? row : row + 1;
    if (whole != row) add_columns(row, 1, first % width, width - first % width);
    add_rows(whole, last / width);
    add_columns(last / width, 1, 0, last % width);
  }

  [[nodiscard]] const ImageLayout& layout() const { return layout_; }
  std::vector<ImageBox> take() { return std::move(boxes_); }

 private:
  /// Whole rows; slices that are there as a whole are one box.
  void add_rows(std::uint64_t row, std::uint64_t end) {
    const std::uint64_t height = layout_.extent[1];
    const std::uint64_t width = layout_.extent[0];
    while (row < end) {
      const std::uint64_t slices = row % height == 0 ? (end - row) / height : 0;
      const std::uint64_t rows = slices != 0 ? height : std::min(end - row, height - row % height);
      add({0, row % height, row / height}, {width, rows, std::max<std::uint64_t>(slices, 1)}, 0);
      row += rows * std::max<std::uint64_t>(slices, 1);
    }
  }

  void add(const std::array<std::size_t, 3>& origin, const std::array<std::size_t, 3>& region, std::size_t row_pitch) {
    const std::uint64_t begin =
        origin[2] * layout_.slice_pitch + origin[1] * layout_.row_pitch + origin[0] * layout_.element_bytes;
    boxes_.push_back({origin, region, begin, row_pitch});
  }

  const ImageLayout layout_;
  const bool layers_are_rows_;
  std::vector<ImageBox> boxes_;
};

}  // namespace

std::vector<ImageBox> image_boxes(const ImageShape& shape, const domain::RowRun& rows) {
  Cutter cutter(shape);
  const ImageLayout& layout = cutter.layout();
  const std::uint64_t element = layout.element_bytes;
  const std::uint64_t column = rows.begin % layout.row_pitch;
  if (rows.rows > 1 && rows.stride == layout.row_pitch && column + rows.width <= layout.row_pitch) {
    const std::uint64_t x = column / element;
    cutter.add_columns(rows.begin / layout.row_pitch, rows.rows, x, (column + rows.width + element - 1) / element - x);
    return cutter.take();
  }
  for (std::uint64_t i = 0; i < rows.rows; ++i) {
    const std::uint64_t begin = rows.begin + i * rows.stride;
    cutter.add_range(begin, begin + rows.width);
  }
  return cutter.take();
}

}  // namespace skmd::icd
