// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "intercept/api/dispatch.h"
#include "intercept/api/entry.h"
#include "intercept/api/info.h"
#include "intercept/api/platform.h"
#include "intercept/backend/port/host_clock.h"
#include "intercept/object/event.h"

namespace skmd::icd::api {
namespace {

constexpr cl_device_type kKnownTypes = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                       CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;

using Scheme = std::vector<cl_device_partition_property>;

/// A root device is not counted, but its handle is checked.
cl_int count_device(const char* function, cl_device_id device,
                    cl_int (*count)(const char*, cl_device_id) noexcept) noexcept {
  const VirtualDevice* const object = inherited() ? nullptr : find<VirtualDevice>(device);
  return object != nullptr && !object->parent() ? CL_SUCCESS : count(function, device);
}
cl_int retain_device(const char* function, cl_device_id device) noexcept {
  return count_device(function, device, retain_handle<VirtualDevice>);
}
cl_int release_device(const char* function, cl_device_id device) noexcept {
  return count_device(function, device, release_handle<VirtualDevice>);
}

/// What a part has otherwise than the whole. Nothing: the whole's answer holds.
std::optional<Status> part_query(const VirtualDevice& device, const InfoQuery& query) {
  switch (query.name()) {
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return query.value<cl_uint>(device.units());
    case CL_DEVICE_PARENT_DEVICE:
      return query.value<cl_device_id>(handle_of(device.parent()));
    case CL_DEVICE_PARTITION_TYPE:
      return query.list(device.partition());
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
      return query.value<cl_uint>(device.partitionable() ? device.units() : 0);
    case CL_DEVICE_PARTITION_PROPERTIES:
      if (!device.partitionable()) return query.value<cl_device_partition_property>(0);
      return std::nullopt;
    case CL_DEVICE_REFERENCE_COUNT:
      return query.value<cl_uint>(device.slot()->references.load());
    default:
      return std::nullopt;
  }
}

/// The units of each part, by CL_DEVICE_PARTITION_EQUALLY.
Result<std::vector<std::uint32_t>> equal_parts(const VirtualDevice& device, const Scheme& scheme) {
  if (scheme.size() != 3 || scheme[1] <= 0) return Error{CL_INVALID_VALUE, "the list is not EQUALLY, a count, 0"};
  // "If n does not divide evenly into CL_DEVICE_MAX_COMPUTE_UNITS, then the remaining compute units are not used."
  const std::uint64_t parts = device.units() / static_cast<std::uint64_t>(scheme[1]);
  if (parts == 0)
    return Error{CL_DEVICE_PARTITION_FAILED,
                 "parts of " + std::to_string(scheme[1]) + " units of a device with " + std::to_string(device.units())};
  return std::vector<std::uint32_t>(parts, static_cast<std::uint32_t>(scheme[1]));
}

/// By CL_DEVICE_PARTITION_BY_COUNTS.
Result<std::vector<std::uint32_t>> counted_parts(const VirtualDevice& device, const Scheme& scheme) {
  // CL_DEVICE_PARTITION_BY_COUNTS_LIST_END is 0, like the end of the list, which may be left out behind it.
  std::vector<std::uint32_t> parts;
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i < scheme.size() && scheme[i] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; ++i) {
    // CL_INVALID_DEVICE_PARTITION_COUNT: "the total number of compute units requested exceeds
    // CL_DEVICE_MAX_COMPUTE_UNITS for in_device, or the number of compute units requested for one or more sub-devices
    // is less than zero".
    if (scheme[i] < 0 || static_cast<std::uint64_t>(scheme[i]) > device.units() ||
        (sum += static_cast<std::uint64_t>(scheme[i])) > device.units())
      return Error{CL_INVALID_DEVICE_PARTITION_COUNT,
                   "the counts exceed the device's " + std::to_string(device.units()) + " units, or are negative"};
    parts.push_back(static_cast<std::uint32_t>(scheme[i]));
  }
  if (parts.empty()) return Error{CL_INVALID_VALUE, "the list of counts is empty"};
  return parts;
}

Result<std::vector<std::uint32_t>> units_of_parts(const VirtualDevice& device, const Scheme& scheme) {
  // CL_INVALID_VALUE: "if values specified in properties are not valid or if values specified in properties are valid
  // but not supported by the device".
  const bool known =
      scheme.size() > 1 && (scheme[0] == CL_DEVICE_PARTITION_EQUALLY || scheme[0] == CL_DEVICE_PARTITION_BY_COUNTS);
  if (!known || !device.info().limits().sub_devices)
    return Error{CL_INVALID_VALUE, "the device does not list that partition scheme"};
  // "if the partition name is supported by the implementation but in_device could not be further partitioned".
  if (!device.partitionable()) return Error{CL_DEVICE_PARTITION_FAILED, "one compute unit cannot be partitioned"};
  return scheme[0] == CL_DEVICE_PARTITION_EQUALLY ? equal_parts(device, scheme) : counted_parts(device, scheme);
}

/// The list as given, final 0 included.
Scheme read_scheme(const cl_device_partition_property* list) {
  Scheme scheme;
  if (list == nullptr) return scheme;
  if (list[0] == CL_DEVICE_PARTITION_BY_COUNTS) {
    for (; *list != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; ++list) scheme.push_back(*list);
    scheme.push_back(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
  } else {
    for (; *list != 0; ++list) scheme.push_back(*list);
  }
  scheme.push_back(0);
  return scheme;
}

Status make_parts(const Ref<VirtualDevice>& device, const Scheme& scheme, const std::vector<std::uint32_t>& units,
                  cl_device_id* out) {
  std::vector<Ref<VirtualDevice>> parts;
  std::uint32_t first = 0;
  for (const std::uint32_t count : units) {
    parts.push_back(make_object<VirtualDevice>(device, first, count, scheme));
    first += count;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (const auto handle = give(parts[i]); handle) continue;
    for (std::size_t j = 0; j < i; ++j) release(*parts[j]->slot());
    return Error{CL_OUT_OF_HOST_MEMORY, "no memory for another handle"};
  }
  for (std::size_t i = 0; i < parts.size(); ++i) out[i] = handle_of(parts[i]);
  return {};
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
    if (name == CL_DEVICE_PLATFORM) return query.value<cl_platform_id>(handle_of(*the_platform()));
    if ((*object)->parent())
      if (const auto own = part_query(**object, query)) return *own;
    const std::vector<std::byte>* answer = (*object)->info().find(name);
    return answer != nullptr ? query.list(*answer) : query.unknown();
  });
}

cl_int CL_API_CALL clCreateSubDevices(cl_device_id device, const cl_device_partition_property* properties,
                                      cl_uint num_devices, cl_device_id* devices, cl_uint* num_devices_ret) {
  return entry("clCreateSubDevices", [&]() -> Status {
    const auto object = borrow<VirtualDevice>(device);
    if (!object) return object.error();
    const Scheme scheme = read_scheme(properties);
    const auto units = units_of_parts(**object, scheme);
    if (!units) return units.error();
    // CL_INVALID_VALUE: "if num_devices is less than the number of sub-devices created by the partition scheme".
    if (devices != nullptr && num_devices < units->size())
      return Error{CL_INVALID_VALUE, "num_devices " + std::to_string(num_devices) + " is less than the " +
                                         std::to_string(units->size()) + " sub-devices"};
    if (devices != nullptr) {
      if (Status status = make_parts(*object, scheme, *units, devices); !status) return status;
    }
    if (num_devices_ret != nullptr) *num_devices_ret = static_cast<cl_uint>(units->size());
    return {};
  });
}

cl_int CL_API_CALL clRetainDevice(cl_device_id device) { return retain_device("clRetainDevice", device); }
cl_int CL_API_CALL clReleaseDevice(cl_device_id device) { return release_device("clReleaseDevice", device); }
cl_int CL_API_CALL clRetainDeviceEXT(cl_device_id device) { return retain_device("clRetainDeviceEXT", device); }
cl_int CL_API_CALL clReleaseDeviceEXT(cl_device_id device) { return release_device("clReleaseDeviceEXT", device); }

cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong* device_timestamp, cl_ulong* host_timestamp) {
  return entry("clGetDeviceAndHostTimer", [&]() -> Status {
    const auto object = borrow<VirtualDevice>(device);
    if (!object) return object.error();
    if (device_timestamp == nullptr || host_timestamp == nullptr)
      return Error{CL_INVALID_VALUE, "a timestamp pointer is NULL"};
    *device_timestamp = *host_timestamp = host_now();  // both are the clock of event profiling
    return {};
  });
}

cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong* host_timestamp) {
  return entry("clGetHostTimer", [&]() -> Status {
    const auto object = borrow<VirtualDevice>(device);
    if (!object) return object.error();
    if (host_timestamp == nullptr) return Error{CL_INVALID_VALUE, "host_timestamp is NULL"};
    *host_timestamp = host_now();
    return {};
  });
}

}  // namespace skmd::icd::api
