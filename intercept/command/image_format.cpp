// SPDX-License-Identifier: Apache-2.0
#include "intercept/command/image_format.h"

namespace skmd::icd {

unsigned channel_count(cl_channel_order order) {
  switch (order) {
    case CL_R:
    case CL_A:
    case CL_INTENSITY:
    case CL_LUMINANCE:
    case CL_DEPTH:
      return 1;
    case CL_RG:
    case CL_RA:
    case CL_Rx:
      return 2;
    case CL_RGB:
    case CL_RGx:
    case CL_sRGB:
      return 3;
    case CL_RGBA:
    case CL_BGRA:
    case CL_ARGB:
    case CL_ABGR:
    case CL_RGBx:
    case CL_sRGBA:
    case CL_sBGRA:
    case CL_sRGBx:
      return 4;
    default:
      return 0;
  }
}

namespace {

/// Bytes of one channel; 0 for packed and unknown types.
std::uint64_t channel_bytes(cl_channel_type type) {
  switch (type) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8:
      return 1;
    case CL_SNORM_INT16:
    case CL_UNORM_INT16:
    case CL_SIGNED_INT16:
    case CL_UNSIGNED_INT16:
    case CL_HALF_FLOAT:
      return 2;
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
    case CL_FLOAT:
      return 4;
    default:
      return 0;
  }
}

bool is_one_of(cl_channel_type type, std::initializer_list<cl_channel_type> list) {
  for (const cl_channel_type entry : list)
    if (type == entry) return true;
  return false;
}

}  // namespace

std::optional<std::uint64_t> element_bytes(const cl_image_format& format) {
  const cl_channel_type type = format.image_channel_data_type;
  const unsigned channels = channel_count(format.image_channel_order);
  if (channels == 0) return std::nullopt;
  switch (format.image_channel_order) {
    case CL_RGB:
    case CL_RGBx:
      // "These formats can only be used if channel data type = CL_UNORM_SHORT_565, CL_UNORM_SHORT_555 or
      // CL_UNORM_INT_101010."
      if (is_one_of(type, {CL_UNORM_SHORT_565, CL_UNORM_SHORT_555})) return 2;
      if (type == CL_UNORM_INT_101010) return 4;
      return std::nullopt;
    case CL_INTENSITY:
    case CL_LUMINANCE:
      if (!is_one_of(type, {CL_UNORM_INT8, CL_UNORM_INT16, CL_SNORM_INT8, CL_SNORM_INT16, CL_HALF_FLOAT, CL_FLOAT}))
        return std::nullopt;
      break;
    case CL_DEPTH:
      if (!is_one_of(type, {CL_UNORM_INT16, CL_FLOAT})) return std::nullopt;
      break;
    case CL_ARGB:
    case CL_BGRA:
    case CL_ABGR:
      if (!is_one_of(type, {CL_UNORM_INT8, CL_SNORM_INT8, CL_SIGNED_INT8, CL_UNSIGNED_INT8})) return std::nullopt;
      break;
    case CL_sRGB:
    case CL_sRGBA:
    case CL_sBGRA:
    case CL_sRGBx:
      if (type != CL_UNORM_INT8) return std::nullopt;
      break;
    case CL_RGBA:
      if (type == CL_UNORM_INT_101010_2) return 4;
      break;
    default:
      break;
  }
  const std::uint64_t bytes = channel_bytes(type);
  if (bytes == 0) return std::nullopt;
  return bytes * channels;
}

RectRegion region_of(const ImageLayout& layout, std::uint64_t begin, const size_t* origin, const size_t* region) {
  RectRegion result;
  result.begin =
      begin + origin[2] * layout.slice_pitch + origin[1] * layout.row_pitch + origin[0] * layout.element_bytes;
  result.row_bytes = region[0] * layout.element_bytes;
  result.rows = region[1];
  result.slices = region[2];
  result.row_pitch = layout.row_pitch;
  result.slice_pitch = layout.slice_pitch;
  return result;
}

HostBox image_host_box(cl_mem_object_type type, const RectRegion& region, void* pointer, std::uint64_t row_pitch,
                       std::uint64_t slice_pitch) {
  HostBox box{static_cast<std::byte*>(pointer), row_pitch, slice_pitch};
  if (box.row_pitch == 0) box.row_pitch = region.row_bytes;
  if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY && slice_pitch != 0) box.row_pitch = slice_pitch;
  if (box.slice_pitch == 0 || type == CL_MEM_OBJECT_IMAGE1D_ARRAY) box.slice_pitch = box.row_pitch * region.rows;
  return box;
}

}  // namespace skmd::icd
