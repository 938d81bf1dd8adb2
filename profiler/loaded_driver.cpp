// SPDX-License-Identifier: Apache-2.0
#include "profiler/loaded_driver.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "profiler/settings/variables.h"

namespace skmd::profiler {

namespace {

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

ErrorLog::ErrorLog() {
  if (getenv(settings::kLog.name) != nullptr) return;
  // Nothing is left of it where this process is killed.
  descriptor_ = memfd_create("skmd-log", MFD_CLOEXEC);
  if (descriptor_ < 0) return;
  setenv(settings::kLog.name, ("error:" + path()).c_str(), 1);
}

std::string ErrorLog::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor_);
}

ErrorLog::~ErrorLog() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unsetenv(settings::kLog.name);
}

std::string ErrorLog::text() const {
  if (descriptor_ < 0) return {};
  std::ifstream file(path());
  std::string all;
  for (std::string line; std::getline(file, line);) {
    const std::size_t start = line.find(" error: ");
    all += (all.empty() ? "" : "; ") + (start == std::string::npos ? line : line.substr(start + 8));
  }
  return all;
}

void* LoadedDriver::address(const char* name) const {
  using GetFunction = void*(CL_API_CALL*)(const char*);
  const auto get = symbol<GetFunction>(library, "clGetExtensionFunctionAddress");
  return get != nullptr ? get(name) : nullptr;
}

const cl_icd_dispatch& LoadedDriver::api() const {
  // Every object of an installable driver begins with this pointer.
  return **reinterpret_cast<const cl_icd_dispatch* const*>(platform);
}

std::optional<LoadedDriver> load_driver(const std::string& driver, const ErrorLog& log, std::string& reason) {
  LoadedDriver loaded;
  loaded.library = dlopen(driver.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded.library == nullptr) {
    reason = dlerror();
    return std::nullopt;
  }
  const auto platforms = symbol<clIcdGetPlatformIDsKHR_fn>(loaded.library, "clIcdGetPlatformIDsKHR");
  const cl_int status = platforms != nullptr ? platforms(1, &loaded.platform, nullptr) : CL_INVALID_PLATFORM;
  if (status == CL_SUCCESS) return loaded;
  reason = log.text();
  if (reason.empty()) reason = "no platform: clIcdGetPlatformIDsKHR answers " + std::to_string(status);
  return std::nullopt;
}

std::optional<LoadedDriver> load_driver(const std::string& driver, std::string& reason) {
  const ErrorLog log;
  return load_driver(driver, log, reason);
}

}  // namespace skmd::profiler
