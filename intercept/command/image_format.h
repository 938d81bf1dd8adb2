// SPDX-License-Identifier: Apache-2.0
// Image formats and geometry: pure functions of descriptors.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "intercept/backend/port/image_layout.h"
#include "intercept/memory/rect_region.h"

namespace skmd::icd {

/// Channels of an order, 0 for an unknown one.
unsigned channel_count(cl_channel_order order);
/// Bytes of one element; nothing if order and type do not go together (specification, table of image formats).
std::optional<std::uint64_t> element_bytes(const cl_image_format& format);
/// The bytes that write_image{f,i,ui} would store for the four components at `color` (one float for CL_DEPTH).
std::vector<std::byte> encode_color(const cl_image_format& format, const void* color);

/// Half-precision bits of a float, rounded to nearest even.
std::uint16_t half_bits(float value);

/// The bytes of a box of the tight layout. Origin and region in elements; `begin`: root offset of the image's first
/// byte.
RectRegion region_of(const ImageLayout& layout, std::uint64_t begin, const size_t* origin, const size_t* region);

/// The application's memory for `region` of an image: pitch 0 is tight. In 1D arrays the slice pitch separates the
/// layers.
HostBox image_host_box(cl_mem_object_type type, const RectRegion& region, void* pointer, std::uint64_t row_pitch,
                       std::uint64_t slice_pitch);

}  // namespace skmd::icd
