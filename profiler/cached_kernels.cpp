// SPDX-License-Identifier: Apache-2.0
#include "profiler/cached_kernels.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "compiler/client/cache.h"
#include "compiler/client/cache_folder.h"
#include "compiler/client/late_failures.h"
#include "partitioner/merge/merge.h"

namespace skmd::profiler {

namespace {

using nlohmann::json;

std::string split_of(const domain::KernelTraits& traits) {
  if (const auto reason = domain::forbids_split(traits, true)) return std::string(domain::name(*reason));
  return domain::forbids_split(traits, false) ? "like devices" : "yes";
}

json describe(const domain::KernelTraits& traits, const std::string& program) {
  return {{"name", traits.name},
          {"program", program},
          {"access", traits.access == domain::AccessClass::contiguous ? "contiguous" : "discontiguous"},
          {"split", split_of(traits)},
          {"form", traits.hidden_record ? "partition-ready" : "untouched"}};
}

}  // namespace

std::string cache_folder() {
  return compiler::cache_folder([](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  });
}

json cached_kernels(const std::string& folder) {
  json found = json::array();
  std::error_code error;
  if (folder.empty() || !std::filesystem::is_directory(folder, error)) return found;
  const compiler::Cache cache(folder);
  std::map<std::string, json> by_name;  // programs compiled for several virtual devices lie there several times
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".compiled") continue;
    const auto reply = cache.find(entry.path().stem(), "");
    if (!reply) continue;
    const compiler::CompileAnswer& answer = reply->answer;
    if (answer.outcome == compiler::Outcome::opaque) {
      by_name[' ' + answer.hash + answer.reason] = {
          {"name", ""}, {"program", answer.hash}, {"split", "opaque_program"}, {"reason", answer.reason}};
    }
    for (const auto& kernel : answer.kernels) by_name[kernel.name + ' ' + answer.hash] = describe(kernel, answer.hash);
  }
  for (auto& [name, kernel] : by_name) found.push_back(std::move(kernel));
  return found;
}

json cached_failures(const std::string& folder) {
  json found = json::array();
  for (const compiler::LateFailure& failure : compiler::late_failures(folder)) {
    std::string device = failure.device;
    std::replace(device.begin(), device.end(), '\n', ' ');
    json build = {{"device", device}, {"state", "failed"}, {"reason", failure.reason}};
    found.push_back({{"program", failure.program}, {"builds", json::array({std::move(build)})}});
  }
  return found;
}

}  // namespace skmd::profiler
