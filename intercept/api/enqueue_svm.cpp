// SPDX-License-Identifier: Apache-2.0
// Commands on shared virtual memory: those of buffers, with addresses in place of objects and offsets.
#include <optional>

#include "intercept/api/dispatch.h"
#include "intercept/api/enqueue.h"
#include "intercept/api/map_call.h"
#include "intercept/api/svm.h"
#include "intercept/command/svm_free.h"
#include "intercept/command/transfer.h"
#include "intercept/object/svm.h"

namespace skmd::icd::api {
namespace {

/// Bytes of an allocation.
struct Range {
  Ref<Memory> memory;
  RectRegion region;
};

Status open(Enqueue& call) {
  if (Status status = call.open(); !status) return status;
  return check_svm_offered();
}

/// Nothing where the address belongs to no allocation of the queue's context: memory of the host. CL_INVALID_VALUE: the
/// bytes exceed the allocation.
Result<std::optional<Range>> locate(const Enqueue& call, const void* pointer, size_t bytes) {
  auto place = call.queue().context().svm().find(pointer);
  if (!place.memory || (bytes != 0 && place.offset == place.memory->size())) return std::optional<Range>();
  if (bytes > place.memory->size() - place.offset)
    return Error{CL_INVALID_VALUE, "size " + std::to_string(bytes) + " exceeds the " +
                                       std::to_string(place.memory->size() - place.offset) +
                                       " bytes of shared virtual memory behind the pointer"};
  const RectRegion region = RectRegion::linear(place.offset, bytes);
  return std::optional<Range>(Range{std::move(place.memory), region});
}

/// As locate(), for calls that take nothing else.
Result<Range> require(const Enqueue& call, const void* pointer, size_t bytes) {
  if (pointer == nullptr) return Error{CL_INVALID_VALUE, "svm_ptr is NULL"};
  auto range = locate(call, pointer, bytes);
  if (!range) return range.error();
  if (!*range) return Error{CL_INVALID_VALUE, "svm_ptr is in no shared virtual memory of the queue's context"};
  return std::move(**range);
}

HostBox host_box(const void* pointer, size_t bytes) {
  return {static_cast<std::byte*>(const_cast<void*>(pointer)), bytes, bytes};
}

Result<std::shared_ptr<Command>> memcpy_command(const Enqueue& call, void* to, const void* from, size_t bytes) {
  const auto source = locate(call, from, bytes);
  if (!source) return source.error();
  const auto target = locate(call, to, bytes);
  if (!target) return target.error();
  if (*source && *target)
    return make_copy((*source)->memory->storage(), (*source)->region, (*target)->memory->storage(), (*target)->region);
  if (*source) return make_read((*source)->memory->storage(), (*source)->region, host_box(to, bytes));
  if (*target) return make_write((*target)->memory->storage(), (*target)->region, host_box(from, bytes));
  return make_host_copy(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
}

bool share_bytes(const void* a, const void* b, size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a);
  const auto second = reinterpret_cast<std::uintptr_t>(b);
  return first < second ? second - first < bytes : first - second < bytes;
}

Status check_pattern(const void* pointer, const void* pattern, size_t pattern_size, size_t size) {
  // CL_INVALID_VALUE: "if svm_ptr is NULL"; "if svm_ptr is not aligned to pattern_size bytes"; "if pattern is NULL or
  // if pattern_size is 0 or if pattern_size is not one of {1, 2, ... 128}"; "if size is not a multiple of
  // pattern_size".
  const bool power_of_two = pattern_size != 0 && (pattern_size & (pattern_size - 1)) == 0;
  if (pattern == nullptr || !power_of_two || pattern_size > 128)
    return Error{CL_INVALID_VALUE, "pattern is NULL or its size " + std::to_string(pattern_size) +
                                       " is not a power of two from 1 to 128"};
  if (reinterpret_cast<std::uintptr_t>(pointer) % pattern_size != 0 || size % pattern_size != 0)
    return Error{CL_INVALID_VALUE, "svm_ptr or size is no multiple of pattern_size " + std::to_string(pattern_size)};
  return {};
}

struct MigrateCall {
  cl_uint count;
  const void** pointers;
  const size_t* sizes;
  cl_mem_migration_flags flags;
};

Result<std::vector<MigratedView>> migrated(const Enqueue& call, const MigrateCall& what) {
  // CL_INVALID_VALUE: "if num_svm_pointers is zero or svm_pointers is NULL"; "if sizes[i] is non-zero range
  // [svm_pointers[i], svm_pointers[i]+sizes[i]) is not contained within an existing clSVMAlloc allocation".
  if (what.count == 0 || what.pointers == nullptr) return Error{CL_INVALID_VALUE, "there is no pointer to migrate"};
  if ((what.flags & ~cl_mem_migration_flags{CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED}) != 0)
    return Error{CL_INVALID_VALUE, "flags " + std::to_string(what.flags) + " have unknown bits"};
  std::vector<MigratedView> views;
  for (cl_uint i = 0; i < what.count; ++i) {
    const size_t size = what.sizes != nullptr ? what.sizes[i] : 0;
    const auto range = require(call, what.pointers[i], size);
    if (!range) return range.error();
    // "If sizes is NULL, every allocation containing the pointers need to be migrated"; likewise of a size of 0.
    const RectRegion region = size != 0 ? range->region : RectRegion::linear(0, range->memory->size());
    views.push_back({range->memory->storage(), region});
  }
  return views;
}

}  // namespace

cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void* pointers[], SvmFreeCallback callback,
                                    void* user_data, cl_uint num_events, const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueSVMFree", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = open(call); !status) return status;
    // CL_INVALID_VALUE: "if num_svm_pointers is 0 and svm_pointers is non-NULL, or if svm_pointers is NULL and
    // num_svm_pointers is not 0".
    if ((count == 0) != (pointers == nullptr))
      return Error{CL_INVALID_VALUE, "num_svm_pointers " + std::to_string(count) + " does not agree with the list"};
    if (Status status = call.check_wait_list(); !status) return status;
    std::vector<void*> copy(pointers, pointers + count);
    return call.submit(CL_COMMAND_SVM_FREE,
                       make_svm_free(call.queue().context(), std::move(copy), {callback, queue, user_data}));
  });
}

cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void* to, const void* from, size_t size,
                                      cl_uint num_events, const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueSVMMemcpy", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = open(call); !status) return status;
    if (to == nullptr || from == nullptr) return Error{CL_INVALID_VALUE, "dst_ptr or src_ptr is NULL"};
    auto command = memcpy_command(call, to, from, size);
    if (!command) return command.error();
    // CL_MEM_COPY_OVERLAP: "if the values specified for dst_ptr, src_ptr and size result in an overlapping copy".
    if (share_bytes(to, from, size)) return Error{CL_MEM_COPY_OVERLAP, "source and destination share bytes"};
    if (Status status = call.check_wait_list(); !status) return status;
    return call.submit(CL_COMMAND_SVM_MEMCPY, std::move(*command), blocking != CL_FALSE);
  });
}

cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void* pointer, const void* pattern, size_t pattern_size,
                                       size_t size, cl_uint num_events, const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueSVMMemFill", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = open(call); !status) return status;
    const auto range = require(call, pointer, size);
    if (!range) return range.error();
    if (Status status = check_pattern(pointer, pattern, pattern_size, size); !status) return status;
    if (Status status = call.check_wait_list(); !status) return status;
    const auto* bytes = static_cast<const std::byte*>(pattern);
    return call.submit(CL_COMMAND_SVM_MEMFILL, make_fill(range->memory->storage(), range->region,
                                                         std::vector<std::byte>(bytes, bytes + pattern_size)));
  });
}

cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void* pointer,
                                   size_t size, cl_uint num_events, const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueSVMMap", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = open(call); !status) return status;
    const auto range = require(call, pointer, size);
    if (!range) return range.error();
    // CL_INVALID_VALUE: "if size is 0 or if values specified in map_flags are not valid".
    if (size == 0) return Error{CL_INVALID_VALUE, "size is 0"};
    if (Status status = check_map_flags(*range->memory, flags); !status) return status;
    if (Status status = call.check_wait_list(); !status) return status;
    const auto mapped =
        enqueue_map(call, range->memory, range->region, {CL_COMMAND_SVM_MAP, blocking != CL_FALSE, flags}, pointer, {});
    return mapped ? Status{} : Status{mapped.error()};
  });
}

cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void* pointer, cl_uint num_events,
                                     const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueSVMUnmap", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = open(call); !status) return status;
    const auto range = require(call, pointer, 0);
    if (!range) return range.error();
    if (Status status = call.check_wait_list(); !status) return status;
    return enqueue_unmap(call, CL_COMMAND_SVM_UNMAP, range->memory, pointer);
  });
}

cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint count, const void** pointers,
                                          const size_t* sizes, cl_mem_migration_flags flags, cl_uint num_events,
                                          const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueSVMMigrateMem", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = open(call); !status) return status;
    const auto views = migrated(call, {count, pointers, sizes, flags});
    if (!views) return views.error();
    if (Status status = call.check_wait_list(); !status) return status;
    return call.submit(CL_COMMAND_SVM_MIGRATE_MEM, make_migrate(*views, flags));
  });
}

}  // namespace skmd::icd::api
