// SPDX-License-Identifier: Apache-2.0
// Contexts, buffers, images and samplers.
#include <algorithm>
#include <cstring>

#include "tests/stub-icd/overrides.h"
#include "tests/stub-icd/stub.h"

_cl_mem::~_cl_mem() {
  if (device != nullptr) device->left += taken;
  if (parent == nullptr) return;
  {
    const std::lock_guard lock(parent->parts_mutex);
    std::erase(parent->parts, this);
  }
  stub::released(parent);
}

namespace stub {
namespace {

template <class T>
T* failed_with(cl_int code, cl_int* code_out) {
  if (code_out != nullptr) *code_out = code;
  return nullptr;
}

template <class T>
T* made(T* object, cl_int* code_out) {
  if (code_out != nullptr) *code_out = CL_SUCCESS;
  return object;
}

cl_context create_context(const cl_context_properties*, cl_uint count, const cl_device_id* devices,
                          void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*), void*, cl_int* code_out) {
  const cl_int failed = record("clCreateContext", "device=" + std::to_string(devices[0]->index));
  if (failed != CL_SUCCESS || count != 1) return failed_with<_cl_context>(failed ? failed : CL_INVALID_VALUE, code_out);
  auto* const context = new _cl_context;
  context->device = devices[0];
  return made(context, code_out);
}

cl_mem create_buffer(cl_context context, cl_mem_flags flags, std::size_t bytes, void* host, cl_int* code_out) {
  const bool wants_host = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
  const cl_int failed = record("clCreateBuffer", "bytes=" + std::to_string(bytes) + (wants_host ? " host" : "") +
                                                     " device=" + std::to_string(context->device->index));
  if (failed != CL_SUCCESS) return failed_with<_cl_mem>(failed, code_out);
  if (bytes == 0) return failed_with<_cl_mem>(CL_INVALID_BUFFER_SIZE, code_out);
  if (wants_host != (host != nullptr)) return failed_with<_cl_mem>(CL_INVALID_HOST_PTR, code_out);
  const bool on_host = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)) != 0;
  const std::int64_t taken = on_host ? 0 : static_cast<std::int64_t>(bytes);
  if ((context->device->left -= taken) < 0) {
    context->device->left += taken;
    return failed_with<_cl_mem>(CL_MEM_OBJECT_ALLOCATION_FAILURE, code_out);
  }
  const bool locks = on_host && context->device->type == CL_DEVICE_TYPE_GPU;
  auto* const mem = new _cl_mem(locks ? Kind::pinned : Kind::memory);
  mem->device = context->device;
  mem->taken = taken;
  mem->bytes = bytes;
  if ((flags & CL_MEM_USE_HOST_PTR) != 0 && context->device->type == CL_DEVICE_TYPE_CPU) {
    mem->data = static_cast<std::byte*>(host);
  } else {
    // Not zeros: a test that reads bytes that were never written must not pass by luck.
    mem->own.assign(bytes, std::byte{0xa5});
    mem->data = mem->own.data();
    // As NVIDIA's driver does, a buffer over host memory reads none of it when it is made: the bytes may be the target
    // of a transfer that is under way. Such a buffer only locks pages here, so its own bytes are never valid.
    if ((flags & CL_MEM_COPY_HOST_PTR) != 0) std::memcpy(mem->data, host, bytes);
  }
  return made(mem, code_out);
}

cl_mem create_sub_buffer(cl_mem parent, cl_mem_flags, cl_buffer_create_type, const void* info, cl_int* code_out) {
  const auto& region = *static_cast<const cl_buffer_region*>(info);
  const cl_int failed =
      record("clCreateSubBuffer", "origin=" + std::to_string(region.origin) + " bytes=" + std::to_string(region.size));
  if (failed != CL_SUCCESS) return failed_with<_cl_mem>(failed, code_out);
  if (parent->parent != nullptr) return failed_with<_cl_mem>(CL_INVALID_MEM_OBJECT, code_out);
  if (region.origin + region.size > parent->bytes) return failed_with<_cl_mem>(CL_INVALID_VALUE, code_out);
  constexpr std::size_t kAlignment = 1024 / 8;
  if (region.origin % kAlignment != 0) return failed_with<_cl_mem>(CL_MISALIGNED_SUB_BUFFER_OFFSET, code_out);
  auto* const mem = new _cl_mem;
  mem->data = parent->data + region.origin;
  mem->bytes = region.size;
  const std::lock_guard lock(parent->parts_mutex);
  // Where NVIDIA's driver sooner or later crashes, this one says so at once.
  const auto in_the_way = [&](cl_mem part) {
    return part->data < mem->data + mem->bytes && mem->data < part->data + part->bytes &&
           (part->data != mem->data || part->bytes != mem->bytes);
  };
  if (like_nvidia(parent->device) && std::any_of(parent->parts.begin(), parent->parts.end(), in_the_way)) {
    delete mem;
    return failed_with<_cl_mem>(CL_OUT_OF_RESOURCES, code_out);
  }
  mem->parent = retained(parent);
  parent->parts.push_back(mem);
  return made(mem, code_out);
}

std::size_t element_bytes(const cl_image_format& format) {
  std::size_t channels = 1;
  if (format.image_channel_order == CL_RG) channels = 2;
  if (format.image_channel_order == CL_RGBA || format.image_channel_order == CL_BGRA) channels = 4;
  switch (format.image_channel_data_type) {
    case CL_UNORM_INT8:
    case CL_SNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8:
      return channels;
    case CL_FLOAT:
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
      return channels * 4;
    default:
      return channels * 2;
  }
}

cl_mem create_image(cl_context, cl_mem_flags, const cl_image_format* format, const cl_image_desc* desc, void*,
                    cl_int* code_out) {
  const cl_int failed = record(
      "clCreateImage", "width=" + std::to_string(desc->image_width) + " height=" + std::to_string(desc->image_height));
  if (failed != CL_SUCCESS) return failed_with<_cl_mem>(failed, code_out);
  auto* const mem = new _cl_mem;
  mem->desc = *desc;
  mem->element_bytes = element_bytes(*format);
  const std::size_t layers =
      std::max<std::size_t>(1, desc->image_depth) * std::max<std::size_t>(1, desc->image_array_size);
  mem->bytes = mem->element_bytes * desc->image_width * std::max<std::size_t>(1, desc->image_height) * layers;
  if (desc->buffer != nullptr) {
    mem->parent = retained(desc->buffer);
    mem->data = desc->buffer->data;
  } else {
    mem->own.assign(mem->bytes, std::byte{0xa5});
    mem->data = mem->own.data();
  }
  return made(mem, code_out);
}

cl_int get_formats(cl_context, cl_mem_flags, cl_mem_object_type, cl_uint entries, cl_image_format* out,
                   cl_uint* count) {
  if (const cl_int failed = record("clGetSupportedImageFormats"); failed != CL_SUCCESS) return failed;
  constexpr cl_image_format kFormats[] = {{CL_RGBA, CL_UNORM_INT8}, {CL_RGBA, CL_FLOAT}, {CL_R, CL_FLOAT}};
  for (cl_uint i = 0; out != nullptr && i < std::min<cl_uint>(entries, 3); ++i) out[i] = kFormats[i];
  if (count != nullptr) *count = 3;
  return CL_SUCCESS;
}

cl_sampler create_sampler(cl_context, cl_bool, cl_addressing_mode, cl_filter_mode, cl_int* code_out) {
  const cl_int failed = record("clCreateSampler");
  if (failed != CL_SUCCESS) return failed_with<_cl_sampler>(failed, code_out);
  return made(new _cl_sampler, code_out);
}

cl_int release_context(cl_context context) { return record("clReleaseContext"), released(context); }
cl_int release_mem(cl_mem mem) { return record("clReleaseMemObject"), released(mem); }
cl_int release_sampler(cl_sampler sampler) { return record("clReleaseSampler"), released(sampler); }
cl_int retain_context(cl_context context) { return retained(context), CL_SUCCESS; }
cl_int retain_mem(cl_mem mem) { return retained(mem), CL_SUCCESS; }

}  // namespace

void fill_object_table(cl_icd_dispatch& table) {
  table.clCreateContext = create_context;
  table.clRetainContext = retain_context;
  table.clReleaseContext = release_context;
  table.clCreateBuffer = create_buffer;
  table.clCreateSubBuffer = create_sub_buffer;
  table.clCreateImage = create_image;
  table.clGetSupportedImageFormats = get_formats;
  table.clRetainMemObject = retain_mem;
  table.clReleaseMemObject = release_mem;
  table.clCreateSampler = create_sampler;
  table.clReleaseSampler = release_sampler;
}

}  // namespace stub
