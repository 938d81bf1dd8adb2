// SPDX-License-Identifier: Apache-2.0
// skmd-ask LIBRARY: loads the driver in LIBRARY and has it look at the devices that its environment names, so that it
// keeps what they answer. Started by the driver (intercept/driver_asker.h), not by users. Its answer is an empty frame;
// without one it has failed.
#include <CL/cl.h>
#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <string>

#include "compiler/client/codec.h"
#include "intercept/backend/vendor/vendor_constants.h"

namespace {

bool ask(const char* library) {
  void* const driver = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return false;
  using PlatformIds = cl_int(CL_API_CALL*)(cl_uint, cl_platform_id*, cl_uint*);
  const auto platform_ids = reinterpret_cast<PlatformIds>(dlsym(driver, "clIcdGetPlatformIDsKHR"));
  cl_uint count = 0;
  return platform_ids != nullptr && platform_ids(0, nullptr, &count) == CL_SUCCESS && count > 0;
}

}  // namespace

int main(int count, char** arguments) {
  alarm(skmd::icd::tuning::kAskSeconds);    // also where the process that waits for it has ended
  if (getauxval(AT_SECURE) != 0) return 1;  // variables are not read then
  bool written = false;
  if (count == 2 && ask(arguments[1])) {
    const std::string answer = skmd::compiler::frame("");
    written = ::write(STDOUT_FILENO, answer.data(), answer.size()) == static_cast<ssize_t>(answer.size());
  }
  _exit(written ? 0 : 1);  // without the drivers' work at exit: nothing of theirs is needed any more
}
