// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/discovery/candidate_of.h"

#include <CL/cl_ext.h>

#include <optional>

namespace skmd::icd {
namespace {

template <class T>
T number(const VendorPlatform& platform, cl_device_id id, cl_device_info name, T otherwise) {
  T value{};
  return platform.cl->clGetDeviceInfo(id, name, sizeof value, &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

/// Bus address as domain:bus:device.function, from the portable query or the vendors' own.
std::optional<std::string> pci_address(const VendorPlatform& platform, cl_device_id id) {
  const auto join = [](cl_uint domain, cl_uint bus, cl_uint device, cl_uint function) {
    return std::to_string(domain) + ":" + std::to_string(bus) + ":" + std::to_string(device) + "." +
           std::to_string(function);
  };
  cl_device_pci_bus_info_khr bus{};
  if (platform.cl->clGetDeviceInfo(id, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof bus, &bus, nullptr) == CL_SUCCESS) {
    return join(bus.pci_domain, bus.pci_bus, bus.pci_device, bus.pci_function);
  }
  constexpr cl_device_info kBusNv = 0x4008, kSlotNv = 0x4009, kDomainNv = 0x400A;
  cl_uint bus_nv = 0;
  cl_uint slot_nv = 0;
  if (platform.cl->clGetDeviceInfo(id, kBusNv, sizeof bus_nv, &bus_nv, nullptr) == CL_SUCCESS &&
      platform.cl->clGetDeviceInfo(id, kSlotNv, sizeof slot_nv, &slot_nv, nullptr) == CL_SUCCESS) {
    // NVIDIA's slot is device and function in one number.
    return join(number<cl_uint>(platform, id, kDomainNv, 0), bus_nv, slot_nv >> 3, slot_nv & 7);
  }
  return std::nullopt;
}

/// Devices for which the virtual device could not report true properties.
std::string why_unfit(const VendorPlatform& platform, cl_device_id id, cl_device_type type) {
  if ((type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR)) == 0) return "is a custom device";
  const auto bits = number<cl_uint>(platform, id, CL_DEVICE_ADDRESS_BITS, 0);
  if (bits != 64) return "has addresses of " + std::to_string(bits) + " bits, 64 are needed";
  if (number<cl_bool>(platform, id, CL_DEVICE_ENDIAN_LITTLE, CL_FALSE) != CL_TRUE) return "is not little endian";
  if (number<cl_bool>(platform, id, CL_DEVICE_AVAILABLE, CL_FALSE) != CL_TRUE) return "is not available";
  if (number<cl_bool>(platform, id, CL_DEVICE_COMPILER_AVAILABLE, CL_FALSE) != CL_TRUE) return "has no compiler";
  const std::string profile = answer_text(platform, id, CL_DEVICE_PROFILE);
  if (profile != "FULL_PROFILE") return "has profile '" + profile + "', FULL_PROFILE is needed";
  return {};
}

DeviceKind kind_of(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return DeviceKind::cpu;
  return (type & CL_DEVICE_TYPE_GPU) != 0 ? DeviceKind::gpu : DeviceKind::accelerator;
}

}  // namespace

std::string answer_text(const VendorPlatform& platform, cl_device_id id, cl_device_info name) {
  std::size_t bytes = 0;
  if (platform.cl->clGetDeviceInfo(id, name, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
  std::string value(bytes, '\0');
  if (platform.cl->clGetDeviceInfo(id, name, bytes, value.data(), nullptr) != CL_SUCCESS) return {};
  return value.c_str();
}

Candidate candidate_of(const VendorPlatform& platform, cl_device_id id) {
  const auto type = number<cl_device_type>(platform, id, CL_DEVICE_TYPE, 0);
  Candidate c;
  c.platform = platform.name;
  c.name = answer_text(platform, id, CL_DEVICE_NAME);
  c.kind = kind_of(type);
  c.compute_units = number<cl_uint>(platform, id, CL_DEVICE_MAX_COMPUTE_UNITS, 0);
  c.fp64 = number<cl_device_fp_config>(platform, id, CL_DEVICE_DOUBLE_FP_CONFIG, 0) != 0;
  c.version = number<cl_version>(platform, id, CL_DEVICE_NUMERIC_VERSION, 0);
  c.pci = pci_address(platform, id);
  c.unfit = why_unfit(platform, id, type);
  const char* const server = platform.server_of != nullptr ? platform.server_of(id) : nullptr;
  if (server == nullptr) return c;
  c.host = server;
  c.vendor = answer_text(platform, id, CL_DEVICE_VENDOR);
  c.pci.reset();  // an address in another machine
  return c;
}

}  // namespace skmd::icd
