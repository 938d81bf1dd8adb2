// SPDX-License-Identifier: Apache-2.0
// Functions that later versions replaced: thin forms of their successors.
#include "intercept/api/dispatch.h"
#include "intercept/api/enqueue.h"
#include "intercept/api/image.h"
#include "intercept/api/queue.h"
#include "intercept/api/sampler.h"
#include "intercept/api/vendor_extras.h"

namespace skmd::icd::api {

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties, cl_int* errcode_ret) {
  return entry("clCreateCommandQueue", errcode_ret, [&]() -> Result<cl_command_queue> {
    constexpr cl_command_queue_properties kKnown =
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE | hint_bits(kVendorQueueBits);
    if (const auto owner = borrow<Context>(context); !owner) return owner.error();
    // CL_INVALID_VALUE: "if values specified in properties are not valid".
    if ((properties & ~kKnown) != 0)
      return Error{CL_INVALID_VALUE, "properties " + std::to_string(properties) + " have unknown bits" +
                                         known_as(kVendorQueueBits, properties & ~kKnown, true)};
    return make_queue(context, device, properties, {});
  });
}

cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties, cl_bool,
                                             cl_command_queue_properties* old_properties) {
  return entry("clSetCommandQueueProperty", [&]() -> Status {
    const auto object = borrow<Queue>(queue);
    if (!object) return object.error();
    if (old_properties != nullptr) *old_properties = (*object)->properties();
    // CL_INVALID_OPERATION: "if no devices in the context ... support modifying the properties of a command-queue".
    return Error{CL_INVALID_OPERATION, "a queue's properties are fixed when it is created"};
  });
}

cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                                       cl_filter_mode filter, cl_int* errcode_ret) {
  return entry("clCreateSampler", errcode_ret, [&] {
    return make_sampler(context, {normalized, addressing, filter}, {});
  });
}

cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format* format, size_t width,
                                   size_t height, size_t row_pitch, void* host_ptr, cl_int* errcode_ret) {
  return entry("clCreateImage2D", errcode_ret, [&]() -> Result<cl_mem> {
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_row_pitch = row_pitch;
    auto image = make_image(context, nullptr, flags, format, &desc, host_ptr);
    // The old text has no image descriptor: "CL_INVALID_IMAGE_SIZE ... or if values specified in image_row_pitch do not
    // follow rules".
    if (!image && image.error().code == CL_INVALID_IMAGE_DESCRIPTOR)
      return Error{CL_INVALID_IMAGE_SIZE, image.error().reason};
    return image;
  });
}

cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format* format, size_t width,
                                   size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void* host_ptr,
                                   cl_int* errcode_ret) {
  return entry("clCreateImage3D", errcode_ret, [&]() -> Result<cl_mem> {
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE3D;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_depth = depth;
    desc.image_row_pitch = row_pitch;
    desc.image_slice_pitch = slice_pitch;
    if (const auto owner = borrow<Context>(context); !owner) return owner.error();
    // CL_INVALID_IMAGE_SIZE: "if image_width, image_height are 0 or if image_depth <= 1".
    if (depth <= 1) return Error{CL_INVALID_IMAGE_SIZE, "image_depth " + std::to_string(depth) + " is less than 2"};
    auto image = make_image(context, nullptr, flags, format, &desc, host_ptr);
    if (!image && image.error().code == CL_INVALID_IMAGE_DESCRIPTOR)
      return Error{CL_INVALID_IMAGE_SIZE, image.error().reason};
    return image;
  });
}

cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event* event) {
  return entry("clEnqueueMarker", [&]() -> Status {
    Enqueue call(queue, 0, nullptr, event);
    if (Status status = call.open(); !status) return status;
    // CL_INVALID_VALUE: "if event is a NULL value".
    if (event == nullptr) return Error{CL_INVALID_VALUE, "event is NULL"};
    return call.submit_marker(CL_COMMAND_MARKER, false);
  });
}

cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue) {
  return entry("clEnqueueBarrier", [&]() -> Status {
    Enqueue call(queue, 0, nullptr, nullptr);
    if (Status status = call.open(); !status) return status;
    return call.submit_marker(CL_COMMAND_BARRIER, true);
  });
}

cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint num_events, const cl_event* event_list) {
  return entry("clEnqueueWaitForEvents", [&]() -> Status {
    const auto object = borrow<Queue>(queue);
    if (!object) return object.error();
    // CL_INVALID_VALUE: "if num_events is 0 or event_list is NULL"; CL_INVALID_EVENT: "if event objects ... are not
    // valid".
    if (num_events == 0 || event_list == nullptr) return Error{CL_INVALID_VALUE, "there is no event to wait for"};
    const auto events = wait_list(num_events, event_list, (*object)->context(), CL_INVALID_EVENT);
    if (!events) return events.error();
    (*object)->enqueue_marker(CL_COMMAND_BARRIER, *events, true);
    return {};
  });
}

}  // namespace skmd::icd::api
