// SPDX-License-Identifier: Apache-2.0
#include "intercept/api/platform.h"

#include <cstring>
#include <new>

#include "intercept/api/dispatch.h"
#include "intercept/api/entry.h"
#include "intercept/api/info.h"
#include "partitioner/base/lock_order.h"

namespace skmd::icd::api {
namespace {

using Composer = Result<Composition> (*)();
constinit Composer composer = nullptr;

/// Never destroyed: applications call us from their own static destructors.
struct World {
  Platform* platform = nullptr;
  VirtualDevice* device = nullptr;
};
World world;
constinit OnceFlag composed(LockRank::composed);

void compose_world() noexcept {
  try {
    set_dispatch(&dispatch_table());
    if (composer == nullptr) return;
    auto composition = composer();
    if (!composition) return;  // the composer has logged why
    set_error_log(composition->machine->observer);
    refuse_forks();
    // Where leak checkers see them, also without a platform in the end.
    static auto* platform = new Platform(*composition);
    static auto* device = new VirtualDevice(platform->machine(), platform->info());
    if (publish(*platform) == nullptr || publish(*device) == nullptr) return;
    world = World{platform, device};
  } catch (...) {  // no memory for a platform: no platform
  }
}

/// A real driver may itself look for platforms while we load it: it meets none of ours, instead of waiting for itself.
void ensure_world() {
  static constinit thread_local bool composing = false;
  if (composing) return;
  composing = true;
  composed.call(compose_world);
  composing = false;
}

}  // namespace

void set_composer(Result<Composition> (*compose)()) { composer = compose; }

Platform* the_platform() {
  ensure_world();
  return world.platform;
}

VirtualDevice* the_device() {
  ensure_world();
  return world.device;
}

cl_int platform_ids(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms) {
  return entry("clGetPlatformIDs", [&]() -> Status {
    if (platforms == nullptr && num_platforms == nullptr)
      return Error{CL_INVALID_VALUE, "platforms and num_platforms are both NULL"};
    if (platforms != nullptr && num_entries == 0) return Error{CL_INVALID_VALUE, "num_entries is 0 with a list"};
    Platform* platform = the_platform();
    if (platform == nullptr) return Error{CL_PLATFORM_NOT_FOUND_KHR, "no usable device"};
    if (platforms != nullptr) platforms[0] = handle_of(*platform);
    if (num_platforms != nullptr) *num_platforms = 1;
    return {};
  });
}

cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms) {
  return platform_ids(num_entries, platforms, num_platforms);
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t size, void* value,
                                     size_t* size_ret) {
  return entry("clGetPlatformInfo", [&]() -> Status {
    const auto object = borrow<Platform>(platform);
    if (!object) return object.error();
    const DeviceInfo& device = (*object)->info();
    const InfoQuery query(name, size, value, size_ret);
    switch (name) {
      case CL_PLATFORM_PROFILE:
        return query.text("FULL_PROFILE");
      case CL_PLATFORM_VERSION:
        return query.text(device.version());
      case CL_PLATFORM_NUMERIC_VERSION:
        return query.value<cl_version>(device.get<cl_version>(CL_DEVICE_NUMERIC_VERSION));
      case CL_PLATFORM_NAME:
        return query.text("SKMD");
      case CL_PLATFORM_VENDOR:
        return query.text("SKMD");
      case CL_PLATFORM_EXTENSIONS:
        return query.text(device.extensions());
      case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return query.list(device.extension_versions());
      case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return query.value<cl_ulong>(1);
      case CL_PLATFORM_ICD_SUFFIX_KHR:
        return query.text("SKMD");
      default:
        return query.unknown();
    }
  });
}

cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform) {
  return entry("clUnloadPlatformCompiler", [&]() -> Status {
    const auto object = borrow<Platform>(platform);
    return object ? Status{} : Status{object.error()};
  });
}

cl_int CL_API_CALL clUnloadCompiler() { return CL_SUCCESS; }

void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) { return function_address(name); }

void* CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* name) {
  return find<Platform>(platform) != nullptr ? function_address(name) : nullptr;
}

}  // namespace skmd::icd::api
