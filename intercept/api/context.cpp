// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/context.h"

#include <algorithm>

#include "intercept/api/device_list.h"
#include "intercept/api/dispatch.h"
#include "intercept/api/entry.h"
#include "intercept/api/info.h"
#include "intercept/api/platform.h"
#include "intercept/api/vendor_extras.h"

namespace skmd::icd::api {
namespace {

using Properties = std::vector<cl_context_properties>;

Status check_property(cl_context_properties name, cl_context_properties value) {
  switch (name) {
    case CL_CONTEXT_PLATFORM:
      if (find<Platform>(reinterpret_cast<cl_platform_id>(value)) != nullptr) return {};
      return Error{CL_INVALID_PLATFORM, "CL_CONTEXT_PLATFORM is not our platform"};
    case CL_CONTEXT_INTEROP_USER_SYNC:
      if (value == CL_TRUE || value == CL_FALSE) return {};
      return Error{CL_INVALID_PROPERTY, "CL_CONTEXT_INTEROP_USER_SYNC is " + std::to_string(value) + ", not a boolean"};
    default:
      if (is_hint(kVendorContextProperties, static_cast<std::uint64_t>(name), static_cast<std::uint64_t>(value)))
        return {};
      return Error{CL_INVALID_PROPERTY,
                   "property " + std::to_string(name) + " is not supported" +
                       known_as(kVendorContextProperties, static_cast<std::uint64_t>(name), false)};
  }
}

/// The list as the application gave it, final 0 included; empty for NULL.
Result<Properties> read_properties(const cl_context_properties* list) {
  Properties out;
  if (list == nullptr) return out;
  for (; *list != 0; list += 2) {
    for (size_t i = 0; i < out.size(); i += 2) {
      if (out[i] == list[0])
        return Error{CL_INVALID_PROPERTY, "property " + std::to_string(list[0]) + " is given twice"};
    }
    const Status status = check_property(list[0], list[1]);
    if (!status) return status.error();
    out.insert(out.end(), {list[0], list[1]});
  }
  out.push_back(0);
  return out;
}

Result<cl_context> make_context(const cl_context_properties* list, Context::ErrorCallback callback, void* user_data,
                                Result<std::vector<Ref<VirtualDevice>>> (*choose)(const void*), const void* argument) {
  auto properties = read_properties(list);
  if (!properties) return properties.error();
  if (callback == nullptr && user_data != nullptr) return Error{CL_INVALID_VALUE, "user_data without pfn_notify"};
  auto devices = choose(argument);
  if (!devices) return devices.error();
  VirtualDevice* device = the_device();
  if (device == nullptr) return Error{CL_INVALID_PLATFORM, "there is no platform"};
  return give(
      make_object<Context>(device->machine(), std::move(*properties), callback, user_data, std::move(*devices)));
}

struct DeviceList {
  cl_uint count;
  const cl_device_id* devices;
};

Result<std::vector<Ref<VirtualDevice>>> listed_devices(const void* argument) {
  const auto& list = *static_cast<const DeviceList*>(argument);
  if (list.devices == nullptr || list.count == 0) return Error{CL_INVALID_VALUE, "no devices"};
  return read_devices(list.count, list.devices);
}

Result<std::vector<Ref<VirtualDevice>>> devices_of_type(const void* argument) {
  VirtualDevice* device = the_device();
  if (device == nullptr) return Error{CL_DEVICE_NOT_FOUND, "there is no device"};
  if (Status match = match_type(device->info(), *static_cast<const cl_device_type*>(argument)); !match)
    return match.error();
  return std::vector<Ref<VirtualDevice>>{Ref<VirtualDevice>(device)};
}

/// The process may be gone before Context's destructor does this: attached objects, and threads of ours that are not
/// done with a launch, hold the context.
void write_statistics() {
  const VirtualDevice* device = the_device();
  if (device != nullptr && device->machine().observer != nullptr) device->machine().observer->context_ended();
}

}  // namespace

cl_context CL_API_CALL clCreateContext(const cl_context_properties* properties, cl_uint num_devices,
                                       const cl_device_id* devices, Context::ErrorCallback callback, void* user_data,
                                       cl_int* errcode_ret) {
  return entry("clCreateContext", errcode_ret, [&] {
    const DeviceList list{num_devices, devices};
    return make_context(properties, callback, user_data, listed_devices, &list);
  });
}

cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties* properties, cl_device_type type,
                                               Context::ErrorCallback callback, void* user_data, cl_int* errcode_ret) {
  return entry("clCreateContextFromType", errcode_ret,
               [&] { return make_context(properties, callback, user_data, devices_of_type, &type); });
}

cl_int CL_API_CALL clRetainContext(cl_context context) { return retain_handle<Context>("clRetainContext", context); }
cl_int CL_API_CALL clReleaseContext(cl_context context) {
  return release_handle<Context>("clReleaseContext", context, write_statistics);
}

cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info name, size_t size, void* value,
                                    size_t* size_ret) {
  return entry("clGetContextInfo", [&]() -> Status {
    const auto object = borrow<Context>(context);
    if (!object) return object.error();
    const InfoQuery query(name, size, value, size_ret);
    switch (name) {
      case CL_CONTEXT_REFERENCE_COUNT:
        return query.value<cl_uint>((*object)->slot()->references.load());
      case CL_CONTEXT_NUM_DEVICES:
        return query.value<cl_uint>(static_cast<cl_uint>((*object)->devices().size()));
      case CL_CONTEXT_DEVICES:
        return query.list(handles_of((*object)->devices()));
      case CL_CONTEXT_PROPERTIES:
        return query.list((*object)->properties());
      default:
        return query.unknown();
    }
  });
}

cl_int CL_API_CALL clSetContextDestructorCallback(cl_context context, Context::Destructor function, void* user_data) {
  return entry("clSetContextDestructorCallback", [&]() -> Status {
    const auto object = borrow<Context>(context);
    if (!object) return object.error();
    if (function == nullptr) return Error{CL_INVALID_VALUE, "pfn_notify is NULL"};
    (*object)->add_destructor(function, user_data);
    return {};
  });
}

}  // namespace skmd::icd::api
