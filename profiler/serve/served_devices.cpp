// SPDX-License-Identifier: Apache-2.0
#include "profiler/serve/served_devices.h"

#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace skmd::profiler {

namespace {

/// What the child tells: `devices` as pocl_remote_server_devices() answers, and why where that is -1.
struct Answer {
  std::int32_t devices = -1;
  char reason[256] = {};
};

void explain(Answer& answer, const char* reason) { std::strncpy(answer.reason, reason, sizeof answer.reason - 1); }

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

Answer ask(const std::string& library, const std::string& address) {
  Answer answer;
  void* const engine = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (engine == nullptr) {
    explain(answer, dlerror());
    return answer;
  }
  const auto set_servers = symbol<int (*)(const char* const*, unsigned)>(engine, "pocl_remote_set_servers");
  const auto server_devices = symbol<int (*)(unsigned, char*, unsigned long)>(engine, "pocl_remote_server_devices");
  const auto get = symbol<void*(CL_API_CALL*)(const char*)>(engine, "clGetExtensionFunctionAddress");
  const auto platforms =
      get != nullptr ? reinterpret_cast<clIcdGetPlatformIDsKHR_fn>(get("clIcdGetPlatformIDsKHR")) : nullptr;
  if (set_servers == nullptr || server_devices == nullptr || platforms == nullptr) {
    explain(answer, "the engine's client lacks a function");
    return answer;
  }
  const char* const servers[] = {address.c_str()};
  set_servers(servers, 1);
  cl_platform_id platform = nullptr;
  cl_uint count = 0;
  if (platforms(1, &platform, nullptr) == CL_SUCCESS) {
    // The platform's first word is its dispatch table.
    const auto* dispatch = *reinterpret_cast<const cl_icd_dispatch* const*>(platform);
    dispatch->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  }
  answer.devices = server_devices(0, answer.reason, sizeof answer.reason);
  return answer;
}

}  // namespace

domain::Result<int> served_devices(const std::string& library, const std::string& address) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return domain::Error{0, std::strerror(errno)};
  const pid_t child = fork();
  if (child == 0) {
    const Answer answer = ask(library, address);
    [[maybe_unused]] const ssize_t written = write(ends[1], &answer, sizeof answer);
    _exit(0);
  }
  close(ends[1]);
  Answer answer;
  ssize_t got = 0;
  while ((got = read(ends[0], &answer, sizeof answer)) < 0 && errno == EINTR) {
  }
  close(ends[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (got != sizeof answer) return domain::Error{0, "asking the daemon for its devices failed"};
  if (answer.devices < 0) return domain::Error{0, answer.reason};
  return answer.devices;
}

}  // namespace skmd::profiler
