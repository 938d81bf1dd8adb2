// SPDX-License-Identifier: Apache-2.0
// Image formats and geometry: pure functions of descriptors.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "intercept/backend/port.h"
#include "intercept/object/region.h"

namespace skmd::icd {

/// Channels of an order, 0 for an unknown one.
unsigned channel_count(cl_channel_order order);
/// Bytes of one element; nothing if order and type do not go together (specification, table of image formats).
std::optional<std::uint64_t> element_bytes(const cl_image_format& format);
/// The bytes that write_image{f,i,ui} would store for the four components at `color` (one float for CL_DEPTH).
std::vector<std::byte> encode_color(const cl_image_format& format, const void* color);

/// Half-precision bits of a float, rounded to nearest even.
std::uint16_t half_bits(float value);

/// Tight layout of an image: extents by which origins and regions are checked, in elements, rows or layers, slices or
/// layers.
struct ImageLayout {
  std::array<std::uint64_t, 3> extent{1, 1, 1};
  std::uint64_t element_bytes = 0;
  std::uint64_t row_pitch = 0;
  std::uint64_t slice_pitch = 0;
  [[nodiscard]] std::uint64_t bytes() const { return slice_pitch * extent[2]; }
  /// Origin and region in elements; `begin`: root offset of the image's first byte.
  [[nodiscard]] Region region(std::uint64_t begin, const size_t* origin, const size_t* region) const;
};
ImageLayout tight_layout(const ImageShape& shape);

/// 1D, 2D: 0 to 2; array types count their layers as the next dimension.
unsigned dimensions(cl_mem_object_type type);
bool is_array(cl_mem_object_type type);

/// The application's memory for `region` of an image: pitch 0 is tight. In 1D arrays the slice pitch separates the
/// layers.
HostBox image_host_box(cl_mem_object_type type, const Region& region, void* pointer, std::uint64_t row_pitch,
                       std::uint64_t slice_pitch);

}  // namespace skmd::icd
