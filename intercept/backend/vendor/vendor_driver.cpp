// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/vendor_driver.h"

#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "intercept/backend/vendor/native_error.h"

namespace skmd::icd {
namespace {

using domain::Error;
using domain::Result;
using domain::Status;

// ICD objects begin with their dispatch table (cl_khr_icd, "Source Code").
struct PlatformHead {
  const cl_icd_dispatch* table;
};

constexpr const char* kIcdSuffix = "SKMD";

Error unusable(const std::string& library, const std::string& why) {
  return Error{CL_PLATFORM_NOT_FOUND_KHR, library + ": " + why};
}

std::string real_path(const std::string& path) {
  std::error_code failed;
  const auto real = std::filesystem::canonical(path, failed);
  return failed ? path : real.string();
}

bool same_file(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && (a == b || real_path(a) == real_path(b));
}

/// A library that is already mapped, our own for one, is recognised without running it a second time.
bool is_own(const std::string& library, const std::string& own) {
  if (own.empty()) return false;
  if (library.find('/') != std::string::npos) return same_file(library, own);
  void* const mapped = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (mapped == nullptr) return false;
  link_map* map = nullptr;
  const bool own_one = dlinfo(mapped, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && same_file(map->l_name, own);
  dlclose(mapped);
  return own_one;
}

/// The first entry point, found as the two public loaders do: by name, or through clGetExtensionFunctionAddress.
clIcdGetPlatformIDsKHR_fn platform_query(void* handle) {
  if (void* const direct = dlsym(handle, "clIcdGetPlatformIDsKHR"); direct != nullptr) {
    return reinterpret_cast<clIcdGetPlatformIDsKHR_fn>(direct);
  }
  const auto address =
      reinterpret_cast<cl_api_clGetExtensionFunctionAddress>(dlsym(handle, "clGetExtensionFunctionAddress"));
  if (address == nullptr) return nullptr;
  return reinterpret_cast<clIcdGetPlatformIDsKHR_fn>(address("clIcdGetPlatformIDsKHR"));
}

std::string trimmed(const std::string& line) {
  const auto first = line.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r\n") - first + 1);
}

/// The first line that is not empty, of the first 64 KiB; "" of anything but a regular file (reading a pipe would
/// block).
std::string first_line(const std::filesystem::path& path) {
  constexpr std::size_t kMaxBytes = 64 * 1024;  // an .icd file is one line
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return {};
  std::string bytes(kMaxBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  std::istringstream text(bytes);
  std::string line;
  while (line.empty() && std::getline(text, line)) line = trimmed(line);
  return line;
}

}  // namespace

Result<std::vector<IcdFile>> read_icd_files(const std::string& folder) {
  std::error_code failed;
  const std::filesystem::path itself(folder);
  if (itself.extension() == ".icd" && std::filesystem::is_regular_file(itself, failed))
    return std::vector<IcdFile>{{folder, first_line(itself)}};
  std::filesystem::directory_iterator entry(folder, failed);
  if (failed) return Error{CL_PLATFORM_NOT_FOUND_KHR, "vendors' folder " + folder + ": " + failed.message()};
  std::vector<IcdFile> files;
  for (; entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    if (failed) break;
    if (entry->path().extension() != ".icd") continue;
    files.push_back({entry->path().string(), first_line(entry->path())});
  }
  std::sort(files.begin(), files.end(), [](const IcdFile& a, const IcdFile& b) { return a.path < b.path; });
  return files;
}

std::string platform_text(const VendorPlatform& platform, cl_platform_info name) {
  std::size_t bytes = 0;
  if (platform.cl->clGetPlatformInfo(platform.id, name, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (platform.cl->clGetPlatformInfo(platform.id, name, bytes, text.data(), nullptr) != CL_SUCCESS) return {};
  return text.c_str();
}

bool is_mapped(const std::string& library) {
  void* const mapped = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (mapped != nullptr) dlclose(mapped);
  return mapped != nullptr;
}

std::string file_of(const VendorPlatform& platform) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(platform.cl->clGetDeviceIDs), &info) == 0 || info.dli_fname == nullptr) return {};
  return real_path(info.dli_fname);
}

Result<std::vector<VendorPlatform>> load_vendor(const std::string& library, const std::string& own_library,
                                                const Prepare& prepare) {
  if (library.empty()) return unusable("(empty)", "the file names no library");
  if (is_own(library, own_library)) return unusable(library, "is this driver itself");
  void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    return unusable(library, why != nullptr ? why : "cannot be loaded");
  }
  const auto query = platform_query(handle);
  if (query == nullptr) return unusable(library, "is no OpenCL driver: it has no clIcdGetPlatformIDsKHR");

  if (prepare) {
    const Status ready = prepare([handle](const char* name) { return dlsym(handle, name); });
    if (!ready) return unusable(library, ready.error().reason);
  }
  cl_uint count = 0;
  if (const cl_int code = query(0, nullptr, &count); code != CL_SUCCESS) {
    return unusable(library, native_failure("clIcdGetPlatformIDsKHR", code).reason);
  }
  if (count == 0) return unusable(library, "has no platform");
  std::vector<cl_platform_id> ids(count);
  if (const cl_int code = query(count, ids.data(), nullptr); code != CL_SUCCESS) {
    return unusable(library, native_failure("clIcdGetPlatformIDsKHR", code).reason);
  }
  const auto server_of = reinterpret_cast<ServerOfDevice>(dlsym(handle, kServerOfDevice));
  std::vector<VendorPlatform> platforms;
  for (cl_platform_id id : ids) {
    if (id == nullptr || reinterpret_cast<const PlatformHead*>(id)->table == nullptr) {
      return unusable(library, "a platform has no dispatch table");
    }
    VendorPlatform platform{reinterpret_cast<const PlatformHead*>(id)->table, id, {}, {}, server_of};
    platform.name = platform_text(platform, CL_PLATFORM_NAME);
    platform.version = platform_text(platform, CL_PLATFORM_VERSION);
    if (platform.name == kIcdSuffix || platform_text(platform, CL_PLATFORM_ICD_SUFFIX_KHR) == kIcdSuffix) {
      return unusable(library, "is another SKMD");
    }
    if (platform.name.empty()) return unusable(library, "a platform does not tell its name");
    platforms.push_back(std::move(platform));
  }
  return platforms;
}

}  // namespace skmd::icd
