// SPDX-License-Identifier: Apache-2.0
// Markers, barriers, migration and native kernels.
#include <cstring>

#include "intercept/api/dispatch.h"
#include "intercept/api/enqueue.h"
#include "intercept/command/native.h"
#include "intercept/command/transfer.h"

namespace skmd::icd::api {

namespace {

Status marker(Enqueue call, cl_command_type type, bool barrier) {
  if (Status status = call.open(); !status) return status;
  if (Status status = call.check_wait_list(); !status) return status;
  return call.submit_marker(type, barrier);
}

RectRegion whole(const Memory& memory) { return RectRegion::linear(memory.offset(), memory.size()); }

struct NativeCall {
  void(CL_CALLBACK* function)(void*);
  const std::byte* arguments;
  size_t argument_bytes;
  cl_uint count;
  const cl_mem* list;
  const void** locations;
};

// CL_INVALID_VALUE, in the specification's order.
Status check_native(const NativeCall& call) {
  if (call.function == nullptr) return Error{CL_INVALID_VALUE, "user_func is NULL"};
  if (call.arguments == nullptr && (call.argument_bytes > 0 || call.count > 0))
    return Error{CL_INVALID_VALUE, "args is NULL with cb_args or num_mem_objects above 0"};
  if (call.arguments != nullptr && call.argument_bytes == 0)
    return Error{CL_INVALID_VALUE, "args is given with cb_args 0"};
  if (call.count > 0 && (call.list == nullptr || call.locations == nullptr))
    return Error{CL_INVALID_VALUE, "mem_list or args_mem_loc is NULL with num_mem_objects above 0"};
  if (call.count == 0 && (call.list != nullptr || call.locations != nullptr))
    return Error{CL_INVALID_VALUE, "mem_list or args_mem_loc is given with num_mem_objects 0"};
  return {};
}

Result<std::vector<NativeBuffer>> native_buffers(const Enqueue& call, const NativeCall& what) {
  std::vector<NativeBuffer> buffers;
  for (cl_uint i = 0; i < what.count; ++i) {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(what.locations[i]) - reinterpret_cast<std::uintptr_t>(what.arguments);
    // "memory object handles (cl_mem values) returned by clCreateBuffer, or NULL": becomes a null pointer.
    Ref<Memory> memory;
    if (what.list[i] != nullptr) {
      auto buffer = call.buffer(what.list[i]);
      if (!buffer) return buffer.error();
      memory = std::move(*buffer);
    }
    if (offset > what.argument_bytes || what.argument_bytes - offset < sizeof(void*))
      return Error{CL_INVALID_VALUE, "args_mem_loc " + std::to_string(i) + " does not point into args"};
    if (memory)
      buffers.push_back({memory->storage(), whole(*memory), offset});
    else
      buffers.push_back({nullptr, {}, offset});
  }
  return buffers;
}

}  // namespace

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint num_events, const cl_event* wait_list,
                                               cl_event* event) {
  return entry("clEnqueueMarkerWithWaitList", [&] {
    return marker({queue, num_events, wait_list, event}, CL_COMMAND_MARKER, false);
  });
}

cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint num_events, const cl_event* wait_list,
                                                cl_event* event) {
  return entry("clEnqueueBarrierWithWaitList", [&] {
    return marker({queue, num_events, wait_list, event}, CL_COMMAND_BARRIER, true);
  });
}

cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count, const cl_mem* objects,
                                              cl_mem_migration_flags flags, cl_uint num_events,
                                              const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueMigrateMemObjects", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = call.open(); !status) return status;
    // CL_INVALID_VALUE: "if num_mem_objects is zero or if mem_objects is NULL"; "if flags is not 0 or is not any of the
    // values described".
    if (count == 0 || objects == nullptr) return Error{CL_INVALID_VALUE, "there is no memory object to migrate"};
    std::vector<MigratedView> views;
    for (cl_uint i = 0; i < count; ++i) {
      const auto memory = call.memory(objects[i]);
      if (!memory) return memory.error();
      views.push_back({(*memory)->storage(), whole(**memory)});
    }
    if ((flags & ~cl_mem_migration_flags{CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED}) != 0)
      return Error{CL_INVALID_VALUE, "flags " + std::to_string(flags) + " have unknown bits"};
    if (Status status = call.check_wait_list(); !status) return status;
    return call.submit(CL_COMMAND_MIGRATE_MEM_OBJECTS, make_migrate(views, flags));
  });
}

cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK* function)(void*), void* arguments,
                                         size_t argument_bytes, cl_uint count, const cl_mem* list,
                                         const void** locations, cl_uint num_events, const cl_event* wait_list,
                                         cl_event* event) {
  return entry("clEnqueueNativeKernel", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = call.open(); !status) return status;
    const NativeCall what{function, static_cast<const std::byte*>(arguments), argument_bytes, count, list, locations};
    if (Status status = check_native(what); !status) return status;
    const auto buffers = native_buffers(call, what);
    if (!buffers) return buffers.error();
    if (Status status = call.check_wait_list(); !status) return status;
    // "cb_args bytes pointed to by args ... will be copied": the application may reuse them at once.
    std::vector<std::byte> copy(what.arguments, what.arguments + argument_bytes);
    return call.submit(CL_COMMAND_NATIVE_KERNEL, make_native(function, std::move(copy), *buffers));
  });
}

}  // namespace skmd::icd::api
