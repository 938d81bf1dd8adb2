// SPDX-License-Identifier: Apache-2.0
#include "intercept/api/image_shape.h"

#include "intercept/command/image_format.h"

namespace skmd::icd::api {

namespace {

Error bad_descriptor(const std::string& reason) { return {CL_INVALID_IMAGE_DESCRIPTOR, reason}; }

Status check_extent(const char* name, std::uint64_t value, std::uint64_t most) {
  // CL_INVALID_IMAGE_SIZE: "if image dimensions specified in image_desc exceed the maximum ... or are 0".
  if (value >= 1 && value <= most) return {};
  return Error{CL_INVALID_IMAGE_SIZE,
               std::string(name) + " " + std::to_string(value) + " is not in 1 to " + std::to_string(most)};
}

/// "Fields that the type does not use are ignored."
cl_image_desc used_fields(const cl_image_desc& desc) {
  cl_image_desc used{};
  used.image_type = desc.image_type;
  used.image_width = desc.image_width;
  const cl_mem_object_type type = desc.image_type;
  if (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D)
    used.image_height = desc.image_height;
  if (type == CL_MEM_OBJECT_IMAGE3D) used.image_depth = desc.image_depth;
  if (is_array(type)) used.image_array_size = desc.image_array_size;
  used.image_row_pitch = desc.image_row_pitch;
  if (is_array(type) || type == CL_MEM_OBJECT_IMAGE3D) used.image_slice_pitch = desc.image_slice_pitch;
  used.buffer = desc.buffer;
  return used;
}

Status check_extents(const cl_image_desc& desc, const DeviceLimits& limits) {
  const bool volume = desc.image_type == CL_MEM_OBJECT_IMAGE3D;
  std::uint64_t widest = volume ? limits.image3d_width : limits.image2d_width;
  if (desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER) widest = limits.image_buffer_texels;
  if (Status status = check_extent("image_width", desc.image_width, widest); !status) return status;
  if (desc.image_type == CL_MEM_OBJECT_IMAGE2D || desc.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY || volume) {
    const std::uint64_t highest = volume ? limits.image3d_height : limits.image2d_height;
    if (Status status = check_extent("image_height", desc.image_height, highest); !status) return status;
  }
  if (volume) {
    if (Status status = check_extent("image_depth", desc.image_depth, limits.image3d_depth); !status) return status;
  }
  if (is_array(desc.image_type))
    return check_extent("image_array_size", desc.image_array_size, limits.image_array_size);
  return {};
}

/// "image_row_pitch must be 0 if host_ptr is NULL ... can be either 0 or >= image_width × size of element in bytes ...
/// must be a multiple of the image element size"; the slice pitch likewise in rows (1D arrays: in bytes of a row).
Status check_host_pitches(const ImageShape& shape, bool host_memory) {
  const cl_image_desc& desc = shape.desc;
  if (!host_memory && (desc.image_row_pitch != 0 || desc.image_slice_pitch != 0))
    return bad_descriptor("pitches without host_ptr");
  const ImageLayout tight = tight_layout(shape);
  const std::uint64_t row = desc.image_row_pitch == 0 ? tight.row_pitch : desc.image_row_pitch;
  if (row < tight.row_pitch || row % shape.element_bytes != 0)
    return bad_descriptor("image_row_pitch " + std::to_string(row) +
                          " is less than a row or no multiple of an element");
  if (desc.image_slice_pitch == 0) return {};
  const std::uint64_t rows = desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : tight.extent[1];
  if (desc.image_slice_pitch < row * rows || desc.image_slice_pitch % row != 0)
    return bad_descriptor("image_slice_pitch " + std::to_string(desc.image_slice_pitch) +
                          " is less than a slice or no multiple of the row pitch");
  return {};
}

}  // namespace

Result<ImageShape> check_image_shape(const cl_image_format* format, const cl_image_desc* desc, bool host_memory,
                                     const DeviceLimits& limits) {
  // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR: "if values specified in image_format are not valid or if image_format is NULL".
  if (format == nullptr) return Error{CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_format is NULL"};
  const auto bytes = element_bytes(*format);
  if (!bytes)
    return Error{CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                 "channel order " + std::to_string(format->image_channel_order) + " and data type " +
                     std::to_string(format->image_channel_data_type) + " do not go together"};
  if (desc == nullptr) return bad_descriptor("image_desc is NULL");
  if (desc->image_type < CL_MEM_OBJECT_IMAGE2D || desc->image_type > CL_MEM_OBJECT_IMAGE1D_BUFFER)
    return bad_descriptor("image_type " + std::to_string(desc->image_type) + " is no image");
  if (desc->num_mip_levels != 0 || desc->num_samples != 0)
    return bad_descriptor("num_mip_levels or num_samples is not 0");
  ImageShape shape{*format, used_fields(*desc), *bytes};
  if (Status status = check_extents(shape.desc, limits); !status) return status.error();
  // 2D images over buffers are cl_khr_image2d_from_buffer, which the device does not offer (nor ones over images).
  if (shape.desc.image_type == CL_MEM_OBJECT_IMAGE2D && shape.desc.buffer != nullptr)
    return Error{CL_INVALID_OPERATION, "the device has no 2D images over other memory objects"};
  // "buffer ... must be NULL" but for 1D images over buffers.
  const bool over_buffer = shape.desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  if (over_buffer != (shape.desc.buffer != nullptr))
    return bad_descriptor("mem_object is missing or not allowed for this image_type");
  if (over_buffer && host_memory) return bad_descriptor("host_ptr with an image over a buffer");
  if (Status status = check_host_pitches(shape, host_memory); !status) return status.error();
  return shape;
}

HostPitches host_pitches(const ImageShape& shape) {
  const ImageLayout tight = tight_layout(shape);
  HostPitches pitches;
  pitches.row = shape.desc.image_row_pitch == 0 ? tight.row_pitch : shape.desc.image_row_pitch;
  if (shape.desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY && shape.desc.image_slice_pitch != 0)
    pitches.row = shape.desc.image_slice_pitch;
  pitches.slice = pitches.row * tight.extent[1];
  if (shape.desc.image_type != CL_MEM_OBJECT_IMAGE1D_ARRAY && shape.desc.image_slice_pitch != 0)
    pitches.slice = shape.desc.image_slice_pitch;
  return pitches;
}

}  // namespace skmd::icd::api
