// SPDX-License-Identifier: Apache-2.0
// An OpenCL driver that shows each device of another one, the library TWICE_DRIVER, twice: a machine with one GPU runs
// programs for two, each with a context, queues and memory of its own. Nothing about speed follows from it.
#include <CL/cl_icd.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace {

using PlatformQuery = cl_int(CL_API_CALL*)(cl_uint, cl_platform_id*, cl_uint*);
using AddressQuery = void*(CL_API_CALL*)(const char*);

struct Head {
  cl_icd_dispatch* table;
};

struct Shown {
  std::unique_ptr<cl_icd_dispatch> table;
  cl_icd_dispatch* own = nullptr;
};

std::mutex mutex;

std::map<cl_platform_id, Shown>& shown() {
  static auto& all = *new std::map<cl_platform_id, Shown>;
  return all;
}

cl_int CL_API_CALL devices_twice(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id* devices,
                                 cl_uint* count) {
  const std::lock_guard lock(mutex);
  const auto own = shown().at(platform).own->clGetDeviceIDs;
  cl_uint there = 0;
  if (const cl_int code = own(platform, type, 0, nullptr, &there); code != CL_SUCCESS) return code;
  std::vector<cl_device_id> once(there);
  if (const cl_int code = own(platform, type, there, once.data(), nullptr); code != CL_SUCCESS) return code;
  if (count != nullptr) *count = 2 * there;
  if (devices != nullptr) {
    for (cl_uint i = 0; i < std::min(room, 2 * there); ++i) devices[i] = once[i % there];
  }
  return CL_SUCCESS;
}

PlatformQuery query_of(const char* library) {
  void* const handle = library != nullptr ? dlopen(library, RTLD_LAZY | RTLD_LOCAL) : nullptr;
  if (handle == nullptr) return nullptr;
  const auto address = reinterpret_cast<AddressQuery>(dlsym(handle, "clGetExtensionFunctionAddress"));
  return address != nullptr ? reinterpret_cast<PlatformQuery>(address("clIcdGetPlatformIDsKHR")) : nullptr;
}

/// The driver's platforms, from now on with a table of ours.
cl_int CL_API_CALL platforms(cl_uint room, cl_platform_id* ids, cl_uint* count) {
  constexpr cl_int kNoPlatform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR
  static const PlatformQuery query = query_of(std::getenv("TWICE_DRIVER"));
  if (query == nullptr) return kNoPlatform;
  cl_uint there = 0;
  if (const cl_int code = query(0, nullptr, &there); code != CL_SUCCESS) return code;
  std::vector<cl_platform_id> own(there);
  if (const cl_int code = query(there, own.data(), nullptr); code != CL_SUCCESS) return code;
  const std::lock_guard lock(mutex);
  for (cl_platform_id id : own) {
    Shown& one = shown()[id];
    if (one.table != nullptr) continue;
    auto* const head = reinterpret_cast<Head*>(id);
    one.own = head->table;
    one.table = std::make_unique<cl_icd_dispatch>(*head->table);
    one.table->clGetDeviceIDs = devices_twice;
    head->table = one.table.get();
  }
  if (count != nullptr) *count = there;
  if (ids != nullptr) std::copy_n(own.begin(), std::min(room, there), ids);
  return CL_SUCCESS;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void* clGetExtensionFunctionAddress(const char* name) {
  if (name == nullptr || std::strcmp(name, "clIcdGetPlatformIDsKHR") != 0) return nullptr;
  return reinterpret_cast<void*>(platforms);
}
