// SPDX-License-Identifier: Apache-2.0
#include "intercept/driver_asker.h"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "compiler/client/process.h"
#include "intercept/backend/vendor/vendor_constants.h"
#include "profiler/settings/variables.h"

namespace skmd::icd {
namespace {

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) all.emplace_back(*variable);
  return all;
}

bool is_left_out(std::string_view variable) {
  return variable.starts_with("SKMD_") || variable.starts_with("LD_PRELOAD=") || variable.starts_with("LD_AUDIT=");
}

/// What skmd-ask sees: `inherited` but for our own variables, of which it gets those that name `icd_file` and `cache`
/// and keep the rest off, and for libraries that the application wants before all others.
std::vector<std::string> asker_environment(const std::vector<std::string>& inherited, const std::string& icd_file,
                                           const std::string& cache) {
  std::vector<std::string> all;
  std::remove_copy_if(inherited.begin(), inherited.end(), std::back_inserter(all), is_left_out);
  const auto set = [&all](const settings::Variable& which, const std::string& value) {
    all.push_back(std::string(which.name) + "=" + value);
  };
  set(settings::kVendors, icd_file);
  set(settings::kCacheDir, cache);
  set(settings::kProfileDb, "off");
  set(settings::kTestCpuDriver, "1");  // beside which alone answers are kept
  return all;
}

}  // namespace

AskDriver driver_asker(const std::string& helper, const std::string& library, const std::string& cache) {
  // skmd-ask would believe none of its variables where the ids differ.
  if (cache.empty() || ::geteuid() != ::getuid() || ::getegid() != ::getgid()) return {};
  return [helper, library, cache](const std::string& icd_file) -> std::function<void()> {
    return
        [program = compiler::HelperProgram{helper, {library}, asker_environment(own_environment(), icd_file, cache)}] {
          (void)compiler::run_helper(program, "",
                                     {.cpu_seconds = tuning::kAskSeconds,
                                      .seconds = tuning::kAskSeconds,
                                      .memory_bytes = std::numeric_limits<std::uint64_t>::max()});
        };
  };
}

}  // namespace skmd::icd
