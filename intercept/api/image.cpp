// SPDX-License-Identifier: Apache-2.0
#include "intercept/api/image.h"

#include <algorithm>
#include <array>

#include "intercept/api/dispatch.h"
#include "intercept/api/image_shape.h"
#include "intercept/api/info.h"
#include "intercept/api/memory.h"
#include "intercept/api/platform.h"

namespace skmd::icd::api {

namespace {

/// The anchor's list, so that any combination of formats fits one device.
Result<std::vector<cl_image_format>> formats(Machine& machine, cl_mem_flags flags, cl_mem_object_type type) {
  // Images that a kernel both reads and writes are not supported: no formats, which is legal.
  if ((flags & CL_MEM_KERNEL_READ_AND_WRITE) != 0 || !the_device()->info().limits().images)
    return std::vector<cl_image_format>{};
  const cl_mem_flags access = (flags & kAccessFlags) == 0 ? CL_MEM_READ_WRITE : flags & kAccessFlags;
  auto list = machine.devices[acting_anchor(machine)]->image_formats(access, type);
  if (!list) return list;
  std::erase_if(*list, [](const cl_image_format& format) { return !element_bytes(format); });
  return list;
}

Status check_supported(Machine& machine, cl_mem_flags flags, const ImageShape& shape) {
  const auto list = formats(machine, flags, shape.desc.image_type);
  if (!list) return Error{CL_OUT_OF_RESOURCES, list.error().reason};
  const bool found = std::any_of(list->begin(), list->end(), [&](const cl_image_format& format) {
    return format.image_channel_order == shape.format.image_channel_order &&
           format.image_channel_data_type == shape.format.image_channel_data_type;
  });
  if (found) return {};
  return Error{CL_IMAGE_FORMAT_NOT_SUPPORTED, "the format is not in clGetSupportedImageFormats' list"};
}

bool is_tight(const ImageShape& shape) {
  const ImageLayout tight = tight_layout(shape);
  const HostPitches pitches = host_pitches(shape);
  return pitches.row == tight.row_pitch && pitches.slice == tight.slice_pitch;
}

/// The application's pixels without the gaps between rows and slices.
std::vector<std::byte> packed(const ImageShape& shape, void* host_ptr) {
  const ImageLayout tight = tight_layout(shape);
  const HostPitches pitches = host_pitches(shape);
  std::vector<std::byte> bytes(tight.bytes());
  constexpr std::array<size_t, 3> kOrigin{0, 0, 0};
  const std::array<size_t, 3> extent{tight.extent[0], tight.extent[1], tight.extent[2]};
  copy_from_host(bytes.data(), region_of(tight, 0, kOrigin.data(), extent.data()),
                 {static_cast<std::byte*>(host_ptr), pitches.row, pitches.slice});
  return bytes;
}

Result<cl_mem> make_image_over_buffer(const Ref<Context>& owner, std::vector<cl_mem_properties> properties,
                                      cl_mem_flags flags, ImageShape shape) {
  const auto parent = borrow<Memory>(shape.desc.buffer);
  if (!parent || (*parent)->is_image() || &(*parent)->context() != owner.get())
    return Error{CL_INVALID_IMAGE_DESCRIPTOR, "mem_object is not a buffer of this context"};
  const auto inherited = view_flags(flags, **parent);
  if (!inherited) return inherited.error();
  const std::uint64_t bytes = tight_layout(shape).bytes();
  if (bytes > (*parent)->size())
    return Error{CL_INVALID_IMAGE_DESCRIPTOR, "the image's " + std::to_string(bytes) + " bytes exceed the buffer's " +
                                                  std::to_string((*parent)->size())};
  if (Status status = check_supported(owner->machine(), *inherited, shape); !status) return status.error();
  auto image = make_object<Memory>(owner, shape.desc.image_type, *inherited, (*parent)->storage(), (*parent)->offset(),
                                   bytes, (*parent)->host_ptr(), *parent, std::move(properties));
  shape.desc.buffer = nullptr;  // no handle outlives the call: the parent is kept instead
  image->set_image(shape);
  return give(image);
}

Result<cl_mem> make_own_image(const Ref<Context>& owner, std::vector<cl_mem_properties> properties, cl_mem_flags flags,
                              const ImageShape& shape, void* host_ptr) {
  const std::uint64_t bytes = tight_layout(shape).bytes();
  if (Status status = check_memory_left(bytes); !status) return status.error();
  const bool use_host = (flags & CL_MEM_USE_HOST_PTR) != 0;
  const bool in_place = use_host && is_tight(shape);
  std::vector<std::byte> initial;
  if (host_ptr != nullptr && !in_place) initial = packed(shape, host_ptr);
  ImageShape stored = shape;
  stored.desc.image_row_pitch = stored.desc.image_slice_pitch = 0;
  auto storage =
      Storage::create_image(owner->machine(), stored, bytes, in_place ? static_cast<std::byte*>(host_ptr) : nullptr,
                            initial.empty() ? nullptr : initial.data());
  if (!storage) return Error{CL_OUT_OF_HOST_MEMORY, storage.error().reason};
  if ((flags & kAccessFlags) == 0) flags |= CL_MEM_READ_WRITE;
  auto image = make_object<Memory>(owner, shape.desc.image_type, flags, std::move(*storage), std::uint64_t{0}, bytes,
                                   use_host ? host_ptr : nullptr, nullptr, std::move(properties));
  image->set_image(shape);
  return give(image);
}

/// A USE_HOST_PTR image whose pitches are not tight lives in our shadow; mappings show it at the application's address.
bool bounces(const Memory& memory) {
  return memory.is_image() && memory.storage()->is_image() && memory.host_ptr() != nullptr && !is_tight(memory.image());
}

}  // namespace

Result<cl_mem> make_image(cl_context context, const cl_mem_properties* list, cl_mem_flags flags,
                          const cl_image_format* format, const cl_image_desc* desc, void* host_ptr) {
  const auto owner = borrow<Context>(context);
  if (!owner) return owner.error();
  auto properties = read_memory_properties(list);
  if (!properties) return properties.error();
  if (Status status = check_memory_flags(flags); !status) return status.error();
  const DeviceLimits& limits = the_device()->info().limits();
  // CL_INVALID_OPERATION: "if there are no devices in context that support images".
  if (!limits.images) return Error{CL_INVALID_OPERATION, "the device has no images"};
  const auto shape = check_image_shape(format, desc, host_ptr != nullptr, limits);
  if (!shape) return shape.error();
  if (shape->desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
    return make_image_over_buffer(*owner, std::move(*properties), flags, *shape);
  if (Status status = check_host_pointer(flags, host_ptr); !status) return status.error();
  if (Status status = check_supported((*owner)->machine(), flags, *shape); !status) return status.error();
  return make_own_image(*owner, std::move(*properties), flags, *shape, host_ptr);
}

bool has_slice_pitch(cl_mem_object_type type) { return is_array(type) || type == CL_MEM_OBJECT_IMAGE3D; }

Result<RectRegion> image_region(const Memory& image, const size_t* origin, const size_t* region) {
  if (origin == nullptr || region == nullptr) return Error{CL_INVALID_VALUE, "origin or region is NULL"};
  const ImageLayout layout = tight_layout(image.image());
  // "If image is a 2D image object, origin[2] must be 0 and region[2] must be 1", and so on: extents are 1 there.
  for (std::size_t i = 0; i < 3; ++i)
    if (region[i] == 0 || origin[i] > layout.extent[i] || region[i] > layout.extent[i] - origin[i])
      return Error{CL_INVALID_VALUE, "origin " + std::to_string(origin[i]) + " and region " +
                                         std::to_string(region[i]) + " in dimension " + std::to_string(i) + " exceed " +
                                         std::to_string(layout.extent[i])};
  return region_of(layout, image.offset(), origin, region);
}

Result<MappedBox> mapped_box(const Memory& image, const RectRegion& bytes, const size_t* origin) {
  if (bounces(image)) {
    const HostPitches pitches = host_pitches(image.image());
    std::byte* first = static_cast<std::byte*>(image.host_ptr()) + origin[2] * pitches.slice + origin[1] * pitches.row +
                       origin[0] * image.image().element_bytes;
    return MappedBox{{first, pitches.row, pitches.slice}, true};
  }
  const auto root = image.storage()->host();
  if (!root) return Error{CL_OUT_OF_HOST_MEMORY, root.error().reason};
  return MappedBox{{*root + bytes.begin, bytes.row_pitch, bytes.slice_pitch}, false};
}

HostBox bounce_box(const Memory& memory, const Mapping& mapping) {
  if (!bounces(memory)) return {};
  const HostPitches pitches = host_pitches(memory.image());
  return {static_cast<std::byte*>(mapping.pointer), pitches.row, pitches.slice};
}

cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                 const cl_image_desc* desc, void* host_ptr, cl_int* errcode_ret) {
  return entry("clCreateImage", errcode_ret,
               [&] { return make_image(context, nullptr, flags, format, desc, host_ptr); });
}

cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties* properties,
                                               cl_mem_flags flags, const cl_image_format* format,
                                               const cl_image_desc* desc, void* host_ptr, cl_int* errcode_ret) {
  return entry("clCreateImageWithProperties", errcode_ret,
               [&] { return make_image(context, properties, flags, format, desc, host_ptr); });
}

cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                                              cl_uint num_entries, cl_image_format* list, cl_uint* count) {
  return entry("clGetSupportedImageFormats", [&]() -> Status {
    const auto owner = borrow<Context>(context);
    if (!owner) return owner.error();
    // CL_INVALID_VALUE: "if flags or image_type are not valid, or if num_entries is 0 and image_formats is not NULL".
    if (Status status = check_memory_flags(flags & ~cl_mem_flags{CL_MEM_KERNEL_READ_AND_WRITE}); !status) return status;
    if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER)
      return Error{CL_INVALID_VALUE, "image_type " + std::to_string(type) + " is no image"};
    if (num_entries == 0 && list != nullptr) return Error{CL_INVALID_VALUE, "num_entries is 0 with a list"};
    const auto all = formats((*owner)->machine(), flags, type);
    if (!all) return Error{CL_OUT_OF_RESOURCES, all.error().reason};
    if (list != nullptr) std::copy_n(all->begin(), std::min<size_t>(num_entries, all->size()), list);
    if (count != nullptr) *count = static_cast<cl_uint>(all->size());
    return {};
  });
}

cl_int CL_API_CALL clGetImageInfo(cl_mem image, cl_image_info name, size_t size, void* value, size_t* size_ret) {
  return entry("clGetImageInfo", [&]() -> Status {
    const auto object = borrow<Memory>(image);
    if (!object) return object.error();
    if (!(*object)->is_image()) return Error{CL_INVALID_MEM_OBJECT, "the memory object is a buffer"};
    const ImageShape& shape = (*object)->image();
    const cl_image_desc& desc = shape.desc;
    const InfoQuery query(name, size, value, size_ret);
    const HostPitches pitches = host_pitches(shape);
    switch (name) {
      case CL_IMAGE_FORMAT:
        return query.value<cl_image_format>(shape.format);
      case CL_IMAGE_ELEMENT_SIZE:
        return query.value<size_t>(shape.element_bytes);
      case CL_IMAGE_ROW_PITCH:
        return query.value<size_t>(desc.image_row_pitch == 0 ? tight_layout(shape).row_pitch : desc.image_row_pitch);
      case CL_IMAGE_SLICE_PITCH:
        // 0 for 1D and 2D images.
        if (!has_slice_pitch(desc.image_type)) return query.value<size_t>(0);
        return query.value<size_t>(desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? pitches.row : pitches.slice);
      case CL_IMAGE_WIDTH:
        return query.value<size_t>(desc.image_width);
      case CL_IMAGE_HEIGHT:
        return query.value<size_t>(desc.image_height);
      case CL_IMAGE_DEPTH:
        return query.value<size_t>(desc.image_depth);
      case CL_IMAGE_ARRAY_SIZE:
        return query.value<size_t>(desc.image_array_size);
      case CL_IMAGE_BUFFER:
        return query.value<cl_mem>(handle_of((*object)->parent()));
      case CL_IMAGE_NUM_MIP_LEVELS:
      case CL_IMAGE_NUM_SAMPLES:
        return query.value<cl_uint>(0);
      default:
        return query.unknown();
    }
  });
}

}  // namespace skmd::icd::api
