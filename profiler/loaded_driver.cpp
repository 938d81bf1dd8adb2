// SPDX-License-Identifier: Apache-2.0
#include "profiler/loaded_driver.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "profiler/settings/variables.h"

namespace skmd::profiler {

namespace {

namespace fs = std::filesystem;

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

ErrorLog::ErrorLog() {
  if (getenv(settings::kLog.name) != nullptr) return;
  path_ = (fs::temp_directory_path() / "skmd-log-XXXXXX").string();
  const int descriptor = mkstemp(path_.data());
  if (descriptor < 0) {
    path_.clear();
  } else {
    close(descriptor);
    setenv(settings::kLog.name, ("error:" + path_).c_str(), 1);
  }
}

ErrorLog::~ErrorLog() {
  if (path_.empty()) return;
  unlink(path_.c_str());
  unsetenv(settings::kLog.name);
}

std::string ErrorLog::text() const {
  std::ifstream file(path_);
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
