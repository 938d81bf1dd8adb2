// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu/sides.h"

#include <algorithm>

#include "bench/cpu/rows.h"

namespace bench {

Side::Side(const std::vector<std::string>& command, std::map<std::string, std::string> variables, const char* name,
           const std::string& cache)
    : name_(name), cache_(cache.empty() ? std::make_unique<TemporaryFolder>() : nullptr) {
  const std::string& folder = cache.empty() ? cache_->path() : cache;
  variables["SKMD_CACHE_DIR"] = folder + "/skmd";
  variables["POCL_CACHE_DIR"] = folder + "/pocl";
  variables["POCL_DEVICES"] = "pthread";
  child_ = std::make_unique<Child>(command, variables);
}

double Side::seconds_of_run() { return child_->ask("run")["kernels"].get<double>(); }

double Side::seconds_of_cold_start() {
  const double first = seconds_of_run();
  const double later = std::min(seconds_of_run(), seconds_of_run());
  return child_->ask("build")["build"].get<double>() + first - later;
}

std::string Side::wrong_result() {
  const nlohmann::json answer = child_->ask("check");
  return answer["ok"].get<bool>() ? "" : name_ + ": wrong result: " + answer["detail"].get<std::string>();
}

Side start_ours(const CpuOptions& options, std::vector<std::string> command, const std::string& cache) {
  if (options.launcher.empty()) return start_pocl(options, std::move(command), cache);
  command[0] = options.folder + "/" + command[0];
  command.insert(command.begin(), {options.launcher, "--"});
  command.insert(command.end(), {"--device", "skmd:0"});
  return {command, {{"SKMD_DEVICES", "cpu"}, {"SKMD_TEST_CPU_DRIVER", "1"}}, "SKMD", cache};
}

Side start_pocl(const CpuOptions& options, std::vector<std::string> command, const std::string& cache) {
  command[0] = options.folder + "/" + command[0];
  command.insert(command.end(), {"--device", "portable:0"});
  return {command, {}, "PoCL", cache};
}

}  // namespace bench
