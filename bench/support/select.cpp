// SPDX-License-Identifier: Apache-2.0
#include "bench/support/select.h"

#include <algorithm>
#include <cctype>

#include "bench/support/opencl.h"

namespace bench {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool contains(const std::string& text, const std::string& part) {
  return lower(text).find(lower(part)) != std::string::npos;
}

std::string platform_name(cl_platform_id platform) {
  std::size_t size = 0;
  check_call(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, nullptr, &size), "clGetPlatformInfo");
  std::string name(size, '\0');
  check_call(clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, name.data(), nullptr), "clGetPlatformInfo");
  return name.c_str();
}

std::string device_name(cl_device_id device) {
  std::size_t size = 0;
  check_call(clGetDeviceInfo(device, CL_DEVICE_NAME, 0, nullptr, &size), "clGetDeviceInfo");
  std::string name(size, '\0');
  check_call(clGetDeviceInfo(device, CL_DEVICE_NAME, size, name.data(), nullptr), "clGetDeviceInfo");
  return name.c_str();
}

/// Platforms and devices that exist; a machine without any gives empty lists.
std::vector<std::vector<cl_device_id>> list_devices(std::vector<PlatformNames>& names) {
  std::vector<std::vector<cl_device_id>> result;
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return result;
  std::vector<cl_platform_id> platforms(count);
  check_call(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  for (cl_platform_id platform : platforms) {
    names.push_back({platform_name(platform), {}});
    result.emplace_back();
    cl_uint device_count = 0;
    const cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &device_count);
    if (code == CL_DEVICE_NOT_FOUND || device_count == 0) continue;
    check_call(code, "clGetDeviceIDs");
    result.back().resize(device_count);
    check_call(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, device_count, result.back().data(), nullptr),
               "clGetDeviceIDs");
    for (cl_device_id device : result.back()) names.back().devices.push_back(device_name(device));
  }
  return result;
}

}  // namespace

std::optional<Choice> choose(const std::vector<PlatformNames>& platforms, const std::string& selector) {
  const std::size_t colon = selector.find(':');
  if (!selector.empty() && colon == std::string::npos) {
    throw BadInput("--device " + selector + ": expected platform:device");
  }
  const std::string platform_part = selector.substr(0, std::min(colon, selector.size()));
  const std::string device_part = selector.empty() ? "" : selector.substr(colon + 1);
  for (std::size_t p = 0; p < platforms.size(); ++p) {
    if (!contains(platforms[p].name, platform_part)) continue;
    for (std::size_t d = 0; d < platforms[p].devices.size(); ++d) {
      const bool matches =
          is_number(device_part) ? std::to_string(d) == device_part : contains(platforms[p].devices[d], device_part);
      if (matches) return Choice{p, d};
    }
  }
  return std::nullopt;
}

cl_device_id select_device(const std::string& selector) {
  std::vector<PlatformNames> names;
  const auto devices = list_devices(names);
  if (const auto choice = choose(names, selector)) return devices[choice->platform][choice->device];
  std::string message =
      selector.empty() ? "no OpenCL device found" : "--device " + selector + ": no such device; there are";
  for (const PlatformNames& platform : names) {
    for (const std::string& device : platform.devices) message += "\n  " + platform.name + ":" + device;
  }
  throw BadInput(message);
}

}  // namespace bench
