// SPDX-License-Identifier: Apache-2.0
// What image calls share: creation (present and deprecated), regions, pitches.
#pragma once

#include "intercept/api/entry.h"
#include "intercept/command/image_format.h"
#include "intercept/object/memory.h"

namespace skmd::icd::api {

Result<cl_mem> make_image(cl_context context, const cl_mem_properties* properties, cl_mem_flags flags,
                          const cl_image_format* format, const cl_image_desc* desc, void* host_ptr);

/// 3D images and arrays.
bool has_slice_pitch(cl_mem_object_type type);

/// The bytes of `region` at `origin`: CL_INVALID_VALUE if one is NULL, out of bounds, empty, or uses a dimension that
/// the image does not have.
Result<RectRegion> image_region(const Memory& image, const size_t* origin, const size_t* region);

/// Where the application sees a mapped region. `bounce`: outside our shadow, in the application's loosely pitched
/// memory.
struct MappedBox {
  HostBox box;
  bool bounce = false;
};
Result<MappedBox> mapped_box(const Memory& image, const RectRegion& bytes, const size_t* origin);
/// The bounce box of a mapping made with mapped_box(); its `first` is null if there is none.
HostBox bounce_box(const Memory& memory, const Mapping& mapping);

}  // namespace skmd::icd::api
