// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/queue.h"

#include <optional>

#include "intercept/api/dispatch.h"
#include "intercept/api/entry.h"
#include "intercept/api/info.h"
#include "intercept/api/platform.h"
#include "intercept/api/queue.h"
#include "intercept/api/vendor_extras.h"

namespace skmd::icd::api {
namespace {

constexpr cl_command_queue_properties kHostBits = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
constexpr cl_command_queue_properties kHintBits = hint_bits(kVendorQueueBits);
constexpr cl_command_queue_properties kDeviceBits = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

struct QueueProperties {
  cl_command_queue_properties bits = 0;
  bool size_given = false;
  std::vector<cl_queue_properties> list;  // as given, final 0 included
};

Result<QueueProperties> read_properties(const cl_queue_properties* list) {
  QueueProperties out;
  if (list == nullptr) return out;
  for (; *list != 0; list += 2) {
    // CL_INVALID_VALUE: "if values specified in properties are not valid"; a name may be given once.
    for (size_t i = 0; i < out.list.size(); i += 2)
      if (out.list[i] == list[0])
        return Error{CL_INVALID_VALUE, "property " + std::to_string(list[0]) + " is given twice"};
    const bool ours = list[0] == CL_QUEUE_PROPERTIES || list[0] == CL_QUEUE_SIZE;
    if (!ours && !is_hint(kVendorQueueProperties, list[0], list[1]))
      return Error{CL_INVALID_VALUE, "property " + std::to_string(list[0]) + " or its value " +
                                         std::to_string(list[1]) + " is unknown" +
                                         known_as(kVendorQueueProperties, list[0], false)};
    if (list[0] == CL_QUEUE_PROPERTIES) out.bits = list[1];
    if (list[0] == CL_QUEUE_SIZE) out.size_given = true;
    out.list.insert(out.list.end(), {list[0], list[1]});
  }
  out.list.push_back(0);
  return out;
}

Status check_bits(const QueueProperties& properties) {
  const cl_command_queue_properties bits = properties.bits;
  constexpr cl_command_queue_properties kTaken = kHostBits | kDeviceBits | kHintBits;
  if ((bits & ~kTaken) != 0)
    return Error{CL_INVALID_VALUE, "CL_QUEUE_PROPERTIES " + std::to_string(bits) + " has unknown bits" +
                                       known_as(kVendorQueueBits, bits & ~kTaken, true)};
  // "If CL_QUEUE_ON_DEVICE is set then CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE must also be set."
  if ((bits & CL_QUEUE_ON_DEVICE) != 0 && (bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0)
    return Error{CL_INVALID_VALUE, "CL_QUEUE_ON_DEVICE without CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE"};
  // "CL_QUEUE_ON_DEVICE_DEFAULT ... can only be used with CL_QUEUE_ON_DEVICE."
  if ((bits & kDeviceBits) == CL_QUEUE_ON_DEVICE_DEFAULT)
    return Error{CL_INVALID_VALUE, "CL_QUEUE_ON_DEVICE_DEFAULT without CL_QUEUE_ON_DEVICE"};
  // CL_QUEUE_SIZE: "This can only be specified if CL_QUEUE_ON_DEVICE is set".
  if (properties.size_given && (bits & CL_QUEUE_ON_DEVICE) == 0)
    return Error{CL_INVALID_VALUE, "CL_QUEUE_SIZE without CL_QUEUE_ON_DEVICE"};
  // CL_INVALID_QUEUE_PROPERTIES: "if values specified in properties are valid but are not supported by the device".
  if ((bits & CL_QUEUE_ON_DEVICE) != 0)
    return Error{CL_INVALID_QUEUE_PROPERTIES, "the device has no queues on the device"};
  return {};
}

/// CL_INVALID_DEVICE: "if device is not a valid device or is not associated with context".
Result<Ref<VirtualDevice>> device_of(const Context& context, cl_device_id device) {
  auto target = borrow<VirtualDevice>(device);
  if (target && !context.has(**target)) return Error{CL_INVALID_DEVICE, "the device does not belong to the context"};
  return target;
}

}  // namespace

Result<cl_command_queue> make_queue(cl_context context, cl_device_id device, cl_command_queue_properties bits,
                                    std::vector<cl_queue_properties> list) {
  auto owner = borrow<Context>(context);
  if (!owner) return owner.error();
  const auto target = device_of(**owner, device);
  if (!target) return target.error();
  return give(make_object<Queue>(*owner, bits, std::move(list), *(*owner)->machine().executor, *target));
}

cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                const cl_queue_properties* properties,
                                                                cl_int* errcode_ret) {
  return entry("clCreateCommandQueueWithProperties", errcode_ret, [&]() -> Result<cl_command_queue> {
    const auto owner = borrow<Context>(context);
    if (!owner) return owner.error();
    if (const auto target = device_of(**owner, device); !target) return target.error();
    auto read = read_properties(properties);
    if (!read) return read.error();
    if (const Status status = check_bits(*read); !status) return status.error();
    return make_queue(context, device, read->bits, std::move(read->list));
  });
}

cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue) {
  return retain_handle<Queue>("clRetainCommandQueue", queue);
}
// "clReleaseCommandQueue performs an implicit flush": commands are submitted as soon as they can be, always.
cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue) {
  return release_handle<Queue>("clReleaseCommandQueue", queue);
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t size, void* value,
                                         size_t* size_ret) {
  return entry("clGetCommandQueueInfo", [&]() -> Status {
    const auto object = borrow<Queue>(queue);
    if (!object) return object.error();
    const InfoQuery query(name, size, value, size_ret);
    switch (name) {
      case CL_QUEUE_CONTEXT:
        return query.value<cl_context>(handle_of((*object)->context()));
      case CL_QUEUE_DEVICE:
        return query.value<cl_device_id>(handle_of((*object)->device()));
      case CL_QUEUE_REFERENCE_COUNT:
        return query.value<cl_uint>((*object)->slot()->references.load());
      case CL_QUEUE_PROPERTIES:
        return query.value<cl_command_queue_properties>((*object)->properties());
      case CL_QUEUE_PROPERTIES_ARRAY:
        return query.list((*object)->property_list());
      case CL_QUEUE_DEVICE_DEFAULT:
        return query.value<cl_command_queue>(nullptr);
      case CL_QUEUE_SIZE:
        // CL_INVALID_COMMAND_QUEUE: "if command_queue is not a valid device command-queue for param_name".
        return Error{CL_INVALID_COMMAND_QUEUE, "CL_QUEUE_SIZE of a queue on the host"};
      default:
        return query.unknown();
    }
  });
}

cl_int CL_API_CALL clFlush(cl_command_queue queue) {
  return entry("clFlush", [&]() -> Status {
    const auto object = borrow<Queue>(queue);
    return object ? Status{} : Status{object.error()};
  });
}

cl_int CL_API_CALL clFinish(cl_command_queue queue) {
  return entry("clFinish", [&]() -> Status {
    const auto object = borrow<Queue>(queue);
    if (!object) return object.error();
    (*object)->finish();
    return {};
  });
}

}  // namespace skmd::icd::api
