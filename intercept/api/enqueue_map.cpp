// SPDX-License-Identifier: Apache-2.0
// clEnqueueMapBuffer, clEnqueueMapImage, clEnqueueUnmapMemObject. Mappings are entered and removed here, at once; bytes
// move later.
#include "intercept/api/dispatch.h"
#include "intercept/api/enqueue.h"
#include "intercept/api/image.h"
#include "intercept/api/map_call.h"

namespace skmd::icd::api {

Status check_map_flags(const Memory& memory, cl_map_flags flags) {
  constexpr cl_map_flags kKnown = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
  if ((flags & ~kKnown) != 0)
    return Error{CL_INVALID_VALUE, "map_flags " + std::to_string(flags) + " have unknown bits"};
  // "CL_MAP_READ or CL_MAP_WRITE and CL_MAP_WRITE_INVALIDATE_REGION are mutually exclusive."
  if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0 && (flags & (CL_MAP_READ | CL_MAP_WRITE)) != 0)
    return Error{CL_INVALID_VALUE, "CL_MAP_WRITE_INVALIDATE_REGION excludes CL_MAP_READ and CL_MAP_WRITE"};
  if ((flags & CL_MAP_READ) != 0) {
    if (Status status = check_host_read(memory); !status) return status;
  }
  return (flags & ~CL_MAP_READ) != 0 ? check_host_write(memory) : Status{};
}

Result<void*> enqueue_map(Enqueue& call, const Ref<Memory>& memory, const RectRegion& region, const MapCall& what,
                          void* pointer, const HostBox& bounce) {
  const auto mapping = open_mapping(*memory, region, what.flags, pointer);
  if (!mapping) return mapping.error();
  try {
    std::function<void(cl_int)> undo = [memory, mapping = *mapping](cl_int status) {
      if (status < 0) drop_mapping(*memory, mapping);
    };
    const Ref<Event> event = call.enqueue(what.type, make_map(*memory, *mapping, bounce), what.blocking);
    if (what.blocking && event->status() < 0) {
      drop_mapping(*memory, *mapping);
      return Error{event->status(), "the blocking map failed"};
    }
    if (!event->when_ended(std::move(undo))) undo(event->status());  // NOLINT(bugprone-use-after-move): not taken then
    if (Status status = call.give(event); !status) return status.error();
  } catch (const std::bad_alloc&) {
    drop_mapping(*memory, *mapping);
    end_mapping(*mapping);
    throw;
  }
  return pointer;
}

Status enqueue_unmap(Enqueue& call, cl_command_type type, const Ref<Memory>& memory, void* pointer) {
  // CL_INVALID_VALUE: "if mapped_ptr is not a valid pointer returned by clEnqueueMapBuffer or clEnqueueMapImage for
  // memobj". Last of the checks, since it removes the mapping.
  const auto mapping = close_mapping(*memory, pointer);
  if (!mapping) return mapping.error();
  Ref<Event> unmapping;
  try {
    std::function<void(cl_int)> end = [mapping = *mapping](cl_int status) {
      if (status < 0) end_mapping(mapping);
    };
    unmapping = call.enqueue(type, make_unmap(*memory, *mapping, bounce_box(*memory, *mapping)), false);
    if (!unmapping->when_ended(std::move(end)))
      end(unmapping->status());  // NOLINT(bugprone-use-after-move): not taken then
  } catch (const std::bad_alloc&) {
    end_mapping(*mapping);
    throw;
  }
  return call.give(unmapping);
}

void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                                     size_t offset, size_t size, cl_uint num_events, const cl_event* wait_list,
                                     cl_event* event, cl_int* errcode_ret) {
  return entry("clEnqueueMapBuffer", errcode_ret, [&]() -> Result<void*> {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = call.open(); !status) return status.error();
    const auto memory = call.buffer(buffer);
    if (!memory) return memory.error();
    // CL_INVALID_VALUE: "if region being mapped given by (offset, size) is out of bounds or if size is 0".
    const auto region = linear_region(**memory, offset, size);
    if (!region) return region.error();
    if (size == 0) return Error{CL_INVALID_VALUE, "size is 0"};
    if (Status status = check_map_flags(**memory, flags); !status) return status.error();
    if (Status status = call.check_wait_list(); !status) return status.error();
    // The address is that of the shadow, stable for the object's life: known before anything is in it.
    const auto root = (*memory)->storage()->host();
    if (!root) return Error{CL_OUT_OF_HOST_MEMORY, root.error().reason};
    return enqueue_map(call, *memory, *region, {CL_COMMAND_MAP_BUFFER, blocking != CL_FALSE, flags},
                       *root + region->begin, {});
  });
}

void* CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
                                    const size_t* origin, const size_t* region, size_t* row_pitch, size_t* slice_pitch,
                                    cl_uint num_events, const cl_event* wait_list, cl_event* event,
                                    cl_int* errcode_ret) {
  return entry("clEnqueueMapImage", errcode_ret, [&]() -> Result<void*> {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = call.open(); !status) return status.error();
    const auto memory = call.image(image);
    if (!memory) return memory.error();
    const auto bytes = image_region(**memory, origin, region);
    if (!bytes) return bytes.error();
    // CL_INVALID_VALUE: "if image_row_pitch is NULL"; slice pitch likewise for 3D images and arrays.
    if (row_pitch == nullptr) return Error{CL_INVALID_VALUE, "image_row_pitch is NULL"};
    const bool has_slices = has_slice_pitch((*memory)->type());
    if (has_slices && slice_pitch == nullptr) return Error{CL_INVALID_VALUE, "image_slice_pitch is NULL"};
    if (Status status = check_map_flags(**memory, flags); !status) return status.error();
    if (Status status = call.check_wait_list(); !status) return status.error();
    const auto target = mapped_box(**memory, *bytes, origin);
    if (!target) return target.error();
    auto pointer = enqueue_map(call, *memory, *bytes, {CL_COMMAND_MAP_IMAGE, blocking != CL_FALSE, flags},
                               target->box.first, target->bounce ? target->box : HostBox{});
    if (!pointer) return pointer;
    // In 1D arrays the slice pitch separates the layers.
    *row_pitch = target->box.row_pitch;
    if (slice_pitch != nullptr)
      *slice_pitch = !has_slices                                        ? 0
                     : (*memory)->type() == CL_MEM_OBJECT_IMAGE1D_ARRAY ? target->box.row_pitch
                                                                        : target->box.slice_pitch;
    return pointer;
  });
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void* mapped_ptr, cl_uint num_events,
                                           const cl_event* wait_list, cl_event* event) {
  return entry("clEnqueueUnmapMemObject", [&]() -> Status {
    Enqueue call(queue, num_events, wait_list, event);
    if (Status status = call.open(); !status) return status;
    const auto object = call.memory(memory);
    if (!object) return object.error();
    if (Status status = call.check_wait_list(); !status) return status;
    return enqueue_unmap(call, CL_COMMAND_UNMAP_MEM_OBJECT, *object, mapped_ptr);
  });
}

}  // namespace skmd::icd::api
