// SPDX-License-Identifier: Apache-2.0
#include "intercept/api/dispatch.h"
#include "intercept/api/entry.h"
#include "intercept/api/info.h"
#include "intercept/api/platform.h"
#include "intercept/object/event.h"

namespace skmd::icd::api {
namespace {

constexpr cl_device_type kKnownTypes = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                       CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;

/// A root device is not counted, but its handle is checked.
cl_int check_device(const char* function, cl_device_id device) noexcept {
  return entry(function, [&]() -> Status {
    const auto object = borrow<VirtualDevice>(device);
    return object ? Status{} : Status{object.error()};
  });
}

}  // namespace

Status match_type(const DeviceInfo& info, cl_device_type type) {
  if (type == 0 || (type != CL_DEVICE_TYPE_ALL && (type & ~kKnownTypes) != 0))
    return Error{CL_INVALID_DEVICE_TYPE, "device_type " + std::to_string(type) + " has no or unknown bits"};
  if (type == CL_DEVICE_TYPE_ALL) return {};
  if ((type & (CL_DEVICE_TYPE_DEFAULT | info.get<cl_device_type>(CL_DEVICE_TYPE))) != 0) return {};
  return Error{CL_DEVICE_NOT_FOUND, "no device of type " + std::to_string(type)};
}

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries,
                                  cl_device_id* devices, cl_uint* num_devices) {
  return entry("clGetDeviceIDs", [&]() -> Status {
    const auto object = borrow<Platform>(platform);
    if (!object) return object.error();
    if (devices == nullptr && num_devices == nullptr)
      return Error{CL_INVALID_VALUE, "devices and num_devices are both NULL"};
    if (devices != nullptr && num_entries == 0) return Error{CL_INVALID_VALUE, "num_entries is 0 with a list"};
    Status match = match_type((*object)->info(), type);
    if (!match) return match;
    if (devices != nullptr) devices[0] = handle_of(*the_device());
    if (num_devices != nullptr) *num_devices = 1;
    return {};
  });
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void* value,
                                   size_t* size_ret) {
  return entry("clGetDeviceInfo", [&]() -> Status {
    const auto object = borrow<VirtualDevice>(device);
    if (!object) return object.error();
    const InfoQuery query(name, size, value, size_ret);
    if (name == CL_DEVICE_PLATFORM) return query.value<cl_platform_id>(handle_of((*object)->platform()));
    const std::vector<std::byte>* answer = (*object)->info().find(name);
    return answer != nullptr ? query.list(*answer) : query.unknown();
  });
}

cl_int CL_API_CALL clCreateSubDevices(cl_device_id device, const cl_device_partition_property*, cl_uint, cl_device_id*,
                                      cl_uint*) {
  return entry("clCreateSubDevices", [&]() -> Status {
    const auto object = borrow<VirtualDevice>(device);
    if (!object) return object.error();
    return Error{CL_INVALID_VALUE, "the device lists no partition scheme"};
  });
}

cl_int CL_API_CALL clRetainDevice(cl_device_id device) { return check_device("clRetainDevice", device); }
cl_int CL_API_CALL clReleaseDevice(cl_device_id device) { return check_device("clReleaseDevice", device); }
cl_int CL_API_CALL clRetainDeviceEXT(cl_device_id device) { return check_device("clRetainDeviceEXT", device); }
cl_int CL_API_CALL clReleaseDeviceEXT(cl_device_id device) { return check_device("clReleaseDeviceEXT", device); }

cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong* device_timestamp, cl_ulong* host_timestamp) {
  return entry("clGetDeviceAndHostTimer", [&]() -> Status {
    const auto object = borrow<VirtualDevice>(device);
    if (!object) return object.error();
    if (device_timestamp == nullptr || host_timestamp == nullptr)
      return Error{CL_INVALID_VALUE, "a timestamp pointer is NULL"};
    *device_timestamp = *host_timestamp = now_ns();  // both are the clock of event profiling
    return {};
  });
}

cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong* host_timestamp) {
  return entry("clGetHostTimer", [&]() -> Status {
    const auto object = borrow<VirtualDevice>(device);
    if (!object) return object.error();
    if (host_timestamp == nullptr) return Error{CL_INVALID_VALUE, "host_timestamp is NULL"};
    *host_timestamp = now_ns();
    return {};
  });
}

}  // namespace skmd::icd::api
