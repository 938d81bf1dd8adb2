// SPDX-License-Identifier: Apache-2.0
// Checks of clCreateImage's descriptor.
#pragma once

#include "intercept/api/entry.h"
#include "intercept/api/platform.h"
#include "intercept/backend/port/port.h"
#include "intercept/object/memory.h"

namespace skmd::icd::api {

/// Format and descriptor as one shape (host pitches as given, fields that the type does not use zeroed), or
/// CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_INVALID_IMAGE_DESCRIPTOR, CL_INVALID_IMAGE_SIZE; CL_INVALID_OPERATION for a
/// 2D image over a buffer or an image.
Result<ImageShape> check_image_shape(const cl_image_format* format, const cl_image_desc* desc, bool host_memory,
                                     const DeviceLimits& limits);
/// Row pitch of the application's memory, and its slice pitch (layer pitch in arrays); tight where it gave 0.
struct HostPitches {
  std::uint64_t row = 0;  // between rows; in 1D arrays between layers
  std::uint64_t slice = 0;
};
HostPitches host_pitches(const ImageShape& shape);

}  // namespace skmd::icd::api
