// SPDX-License-Identifier: Apache-2.0
#include "bench/launches/preempt_processes.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace bench {

using nlohmann::json;

json read_statistics(const std::string& file) {
  std::ifstream stream(file);
  json statistics = json::parse(stream, nullptr, false);
  if (!statistics.is_object()) throw std::runtime_error("the driver left no statistics in " + file);
  return statistics;
}

Processes::Processes(const PreemptPlace& place) : place_(place) {
  if (!std::filesystem::exists(place.library)) throw std::runtime_error("there is no " + place.library);
  side_ = with_cache(skmd_cpu(folder_.path(), place.library), folder_.path());
}

Variables Processes::with(Variables more) const {
  more.insert(side_.variables.begin(), side_.variables.end());
  return more;
}

std::vector<std::string> Processes::workload(const std::string& name, const std::vector<std::string>& more) const {
  std::vector<std::string> command = {place_.folder + "/" + name, "--device", side_.selector};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

}  // namespace bench
