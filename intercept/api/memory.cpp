// SPDX-License-Identifier: Apache-2.0
#include "intercept/api/memory.h"

#include <bit>

#include "intercept/api/dispatch.h"
#include "intercept/api/info.h"
#include "intercept/api/platform.h"
#include "intercept/api/vendor_extras.h"
#include "intercept/object/svm.h"

namespace skmd::icd::api {

namespace {

/// Of a buffer that the application made; the parent of one in shared virtual memory is the allocation, which is none.
bool is_sub_buffer(const Memory& memory) {
  return !memory.is_image() && memory.parent() && memory.parent()->slot() != nullptr;
}

Status only_one_of(cl_mem_flags flags, cl_mem_flags group, const char* names) {
  if (std::popcount(flags & group) <= 1) return {};
  return Error{CL_INVALID_VALUE, std::string("flags name more than one of ") + names};
}

}  // namespace

Status check_memory_flags(cl_mem_flags flags) {
  constexpr cl_mem_flags kTaken = kAccessFlags | kHostAccessFlags | kHostPointerFlags | hint_bits(kVendorMemoryFlags);
  if ((flags & ~kTaken) != 0)
    return Error{CL_INVALID_VALUE, "flags " + std::to_string(flags) + " have unknown or unsupported bits" +
                                       known_as(kVendorMemoryFlags, flags & ~kTaken, true)};
  // "CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY and CL_MEM_READ_ONLY are mutually exclusive", and so on.
  if (Status status = only_one_of(flags, kAccessFlags, "READ_WRITE, WRITE_ONLY, READ_ONLY"); !status) return status;
  if (Status status = only_one_of(flags, kHostAccessFlags, "HOST_WRITE_ONLY, HOST_READ_ONLY, HOST_NO_ACCESS"); !status)
    return status;
  if ((flags & CL_MEM_USE_HOST_PTR) != 0 && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0)
    return Error{CL_INVALID_VALUE, "CL_MEM_USE_HOST_PTR excludes ALLOC_HOST_PTR and COPY_HOST_PTR"};
  return {};
}

Status check_host_pointer(cl_mem_flags flags, const void* host_ptr) {
  const bool wanted = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
  if (wanted == (host_ptr != nullptr)) return {};
  return Error{CL_INVALID_HOST_PTR, wanted ? "host_ptr is NULL with USE_HOST_PTR or COPY_HOST_PTR"
                                           : "host_ptr without USE_HOST_PTR or COPY_HOST_PTR"};
}

Result<cl_mem_flags> view_flags(cl_mem_flags flags, const Memory& parent) {
  if (Status status = check_memory_flags(flags); !status) return status.error();
  // CL_INVALID_VALUE: "or if flags specifies CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR".
  if ((flags & kHostPointerFlags) != 0) return Error{CL_INVALID_VALUE, "a view inherits its host-pointer flags"};
  const cl_mem_flags of_parent = parent.flags();
  const bool widens =
      ((of_parent & CL_MEM_WRITE_ONLY) != 0 && (flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) != 0) ||
      ((of_parent & CL_MEM_READ_ONLY) != 0 && (flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) != 0) ||
      ((of_parent & CL_MEM_HOST_WRITE_ONLY) != 0 && (flags & CL_MEM_HOST_READ_ONLY) != 0) ||
      ((of_parent & CL_MEM_HOST_READ_ONLY) != 0 && (flags & CL_MEM_HOST_WRITE_ONLY) != 0) ||
      ((of_parent & CL_MEM_HOST_NO_ACCESS) != 0 && (flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)) != 0);
  if (widens) return Error{CL_INVALID_VALUE, "flags " + std::to_string(flags) + " allow more than the parent's"};
  if ((flags & kAccessFlags) == 0) flags |= of_parent & kAccessFlags;
  if ((flags & kHostAccessFlags) == 0) flags |= of_parent & kHostAccessFlags;
  return flags | (of_parent & kHostPointerFlags);
}

Result<std::vector<cl_mem_properties>> read_memory_properties(const cl_mem_properties* list) {
  std::vector<cl_mem_properties> out;
  if (list == nullptr) return out;
  for (; *list != 0; list += 2) {
    // CL_INVALID_PROPERTY: "if a property name in properties is not a supported property name, if the value specified
    // ... is not valid, or if the same property name is specified more than once".
    for (size_t i = 0; i < out.size(); i += 2)
      if (out[i] == list[0])
        return Error{CL_INVALID_PROPERTY, "property " + std::to_string(list[0]) + " is given twice"};
    if (!is_hint(kVendorMemoryProperties, list[0], list[1]))
      return Error{CL_INVALID_PROPERTY, "property " + std::to_string(list[0]) + " is not supported" +
                                            known_as(kVendorMemoryProperties, list[0], false)};
    out.insert(out.end(), {list[0], list[1]});
  }
  out.push_back(0);
  return out;
}

Status check_memory_left(std::uint64_t bytes) {
  const auto all = the_device()->info().get<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  const std::uint64_t taken = live_bytes();
  if (bytes <= all && taken <= all - bytes) return {};
  return Error{CL_MEM_OBJECT_ALLOCATION_FAILURE, std::to_string(bytes) + " bytes beside " + std::to_string(taken) +
                                                     " in use exceed the device's " + std::to_string(all)};
}

namespace {

/// "If CL_MEM_USE_HOST_PTR is specified and host_ptr is an SVM pointer ... the new buffer object has the shared memory
/// as the underlying storage."
Result<cl_mem> buffer_in_svm(const Ref<Context>& owner, const SvmRegions::SvmAddress& place, cl_mem_flags flags,
                             size_t size, std::vector<cl_mem_properties> properties) {
  if (size > place.memory->size() - place.offset)
    return Error{CL_INVALID_BUFFER_SIZE, "size " + std::to_string(size) + " exceeds the " +
                                             std::to_string(place.memory->size() - place.offset) +
                                             " bytes of shared virtual memory behind host_ptr"};
  return give(make_object<Memory>(owner, cl_mem_object_type{CL_MEM_OBJECT_BUFFER}, flags, place.memory->storage(),
                                  std::uint64_t{place.offset}, std::uint64_t{size},
                                  static_cast<std::byte*>(place.memory->host_ptr()) + place.offset, place.memory,
                                  std::move(properties)));
}

Result<cl_mem> make_buffer(cl_context context, const cl_mem_properties* list, cl_mem_flags flags, size_t size,
                           void* host_ptr) {
  const auto owner = borrow<Context>(context);
  if (!owner) return owner.error();
  auto properties = read_memory_properties(list);
  if (!properties) return properties.error();
  if (const Status status = check_memory_flags(flags); !status) return status.error();
  // CL_INVALID_BUFFER_SIZE: "if size is 0 or if size is greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE".
  const std::uint64_t most = the_device()->info().limits().max_alloc_bytes;
  if (size == 0 || size > most)
    return Error{CL_INVALID_BUFFER_SIZE, "size " + std::to_string(size) + " is not in 1 to " + std::to_string(most)};
  if (const Status status = check_host_pointer(flags, host_ptr); !status) return status.error();
  if (const Status status = check_memory_left(size); !status) return status.error();
  // "If no flag is given, CL_MEM_READ_WRITE is the default."
  if ((flags & kAccessFlags) == 0) flags |= CL_MEM_READ_WRITE;
  const bool in_place = (flags & CL_MEM_USE_HOST_PTR) != 0;
  if (const auto place = (*owner)->svm().find(in_place ? host_ptr : nullptr); place.memory)
    return buffer_in_svm(*owner, place, flags, size, std::move(*properties));
  auto* bytes = static_cast<std::byte*>(host_ptr);
  auto storage = Storage::create((*owner)->machine(), size, in_place ? bytes : nullptr, in_place ? nullptr : bytes,
                                 (flags & CL_MEM_ALLOC_HOST_PTR) != 0);
  if (!storage) return Error{CL_OUT_OF_HOST_MEMORY, storage.error().reason};
  return give(make_object<Memory>(*owner, cl_mem_object_type{CL_MEM_OBJECT_BUFFER}, flags, std::move(*storage),
                                  std::uint64_t{0}, std::uint64_t{size}, in_place ? host_ptr : nullptr, nullptr,
                                  std::move(*properties)));
}

Result<cl_mem> make_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void* info) {
  const auto parent = borrow<Memory>(buffer);
  if (!parent) return parent.error();
  // CL_INVALID_MEM_OBJECT: "if buffer is not a valid buffer object or is a sub-buffer object".
  if ((*parent)->is_image() || is_sub_buffer(**parent))
    return Error{CL_INVALID_MEM_OBJECT, "buffer is an image or itself a sub-buffer"};
  const auto inherited = view_flags(flags, **parent);
  if (!inherited) return inherited.error();
  if (type != CL_BUFFER_CREATE_TYPE_REGION || info == nullptr)
    return Error{CL_INVALID_VALUE, "buffer_create_type is not CL_BUFFER_CREATE_TYPE_REGION or the info is NULL"};
  const auto region = *static_cast<const cl_buffer_region*>(info);
  // CL_INVALID_BUFFER_SIZE: "if the size field ... is 0"; CL_INVALID_VALUE: "if the region ... is out of bounds".
  if (region.size == 0) return Error{CL_INVALID_BUFFER_SIZE, "the region's size is 0"};
  const std::uint64_t bytes = (*parent)->size();
  if (region.origin > bytes || region.size > bytes - region.origin)
    return Error{CL_INVALID_VALUE, "origin " + std::to_string(region.origin) + " and size " +
                                       std::to_string(region.size) + " exceed the buffer's " + std::to_string(bytes) +
                                       " bytes"};
  // CL_MISALIGNED_SUB_BUFFER_OFFSET: "if there are no devices in context ... for which the origin field ... is aligned
  // to CL_DEVICE_MEM_BASE_ADDR_ALIGN".
  const std::uint64_t alignment = the_device()->info().limits().base_align_bytes;
  if (region.origin % alignment != 0)
    return Error{CL_MISALIGNED_SUB_BUFFER_OFFSET,
                 "origin " + std::to_string(region.origin) + " is no multiple of " + std::to_string(alignment)};
  auto* host = static_cast<std::byte*>((*parent)->host_ptr());
  return give(make_object<Memory>(Ref<Context>(&(*parent)->context()), cl_mem_object_type{CL_MEM_OBJECT_BUFFER},
                                  *inherited, (*parent)->storage(), (*parent)->offset() + region.origin,
                                  std::uint64_t{region.size}, host == nullptr ? nullptr : host + region.origin, *parent,
                                  std::vector<cl_mem_properties>{}));
}

}  // namespace

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host_ptr,
                                  cl_int* errcode_ret) {
  return entry("clCreateBuffer", errcode_ret, [&] { return make_buffer(context, nullptr, flags, size, host_ptr); });
}

cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context, const cl_mem_properties* properties,
                                                cl_mem_flags flags, size_t size, void* host_ptr, cl_int* errcode_ret) {
  return entry("clCreateBufferWithProperties", errcode_ret,
               [&] { return make_buffer(context, properties, flags, size, host_ptr); });
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void* info,
                                     cl_int* errcode_ret) {
  return entry("clCreateSubBuffer", errcode_ret, [&] { return make_sub_buffer(buffer, flags, type, info); });
}

cl_int CL_API_CALL clRetainMemObject(cl_mem memory) { return retain_handle<Memory>("clRetainMemObject", memory); }
cl_int CL_API_CALL clReleaseMemObject(cl_mem memory) { return release_handle<Memory>("clReleaseMemObject", memory); }

cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem memory, Memory::Destructor function, void* user_data) {
  return entry("clSetMemObjectDestructorCallback", [&]() -> Status {
    const auto object = borrow<Memory>(memory);
    if (!object) return object.error();
    // CL_INVALID_VALUE: "if pfn_notify is NULL".
    if (function == nullptr) return Error{CL_INVALID_VALUE, "pfn_notify is NULL"};
    (*object)->add_destructor(function, user_data);
    return {};
  });
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem memory, cl_mem_info name, size_t size, void* value, size_t* size_ret) {
  return entry("clGetMemObjectInfo", [&]() -> Status {
    const auto object = borrow<Memory>(memory);
    if (!object) return object.error();
    Memory& mem = **object;
    const InfoQuery query(name, size, value, size_ret);
    switch (name) {
      case CL_MEM_TYPE:
        return query.value<cl_mem_object_type>(mem.type());
      case CL_MEM_FLAGS:
        return query.value<cl_mem_flags>(mem.flags());
      case CL_MEM_SIZE:
        return query.value<size_t>(mem.size());
      case CL_MEM_HOST_PTR:
        return query.value<void*>(mem.host_ptr());
      case CL_MEM_MAP_COUNT: {
        const MutexGuard lock(mem.mutex());
        return query.value<cl_uint>(static_cast<cl_uint>(mem.mappings().size()));
      }
      case CL_MEM_REFERENCE_COUNT:
        return query.value<cl_uint>(mem.slot()->references.load());
      case CL_MEM_CONTEXT:
        return query.value<cl_context>(handle_of(mem.context()));
      case CL_MEM_ASSOCIATED_MEMOBJECT:
        return query.value<cl_mem>(handle_of(mem.parent()));
      case CL_MEM_OFFSET:
        return query.value<size_t>(is_sub_buffer(mem) ? mem.offset() - mem.parent()->offset() : 0);
      case CL_MEM_USES_SVM_POINTER:
        return query.value<cl_bool>(mem.in_svm() && !mem.is_image() ? CL_TRUE : CL_FALSE);
      case CL_MEM_PROPERTIES:
        return query.list(mem.properties());
      default:
        return query.unknown();
    }
  });
}

}  // namespace skmd::icd::api
