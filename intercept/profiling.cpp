// SPDX-License-Identifier: Apache-2.0
#include "intercept/profiling.h"

#include <CL/cl.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "intercept/launch/profiling_mode.h"
#include "intercept/object/profile_key.h"
#include "intercept/observe/observer.h"
#include "profiler/database/commit.h"
#include "profiler/database/journal.h"

namespace skmd::icd {
namespace {

constexpr std::uint32_t kMostRepeats = 1000;

domain::Error bad(const char* name, const std::string& value, const std::string& known) {
  return {CL_PLATFORM_NOT_FOUND_KHR, std::string(name) + " is \"" + value + "\": " + known};
}

Result<std::uint32_t> repeats(const std::string& text) {
  std::uint32_t number = 0;
  if (text.empty()) return number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0 || number > kMostRepeats)
    return bad("SKMD_PROFILE_REPEAT", text, "a number from 1 to " + std::to_string(kMostRepeats) + " is needed");
  return number;
}

Status set_up_mode(Machine& machine, const std::function<std::string(const char*)>& variable) {
  const std::string spans = variable("SKMD_PROFILE_SPANS");
  if (spans.empty()) return {};
  ProfilingSettings settings;
  const auto plan = domain::parse_span_plan(spans);
  if (!plan) return domain::Error{CL_PLATFORM_NOT_FOUND_KHR, "SKMD_PROFILE_SPANS: " + plan.error().reason};
  settings.spans = *plan;
  const auto repeat = repeats(variable("SKMD_PROFILE_REPEAT"));
  if (!repeat) return repeat.error();
  settings.repeat = *repeat;
  const std::string warm = variable("SKMD_PROFILE_WARM");
  if (!warm.empty() && warm != "0" && warm != "1") return bad("SKMD_PROFILE_WARM", warm, "0 or 1 is needed");
  settings.warm = warm == "1";
  std::unique_ptr<profiler::RunCounters> counters;
  if (const std::string folder = variable("SKMD_PROFILE_COUNTS"); !folder.empty())
    counters = profiler::RunCounters::create(folder, machine.devices.size());
  machine.profiling = new ProfilingMode(settings, std::move(counters));
  machine.builds = nullptr;  // a kernel is profiled on every device from its first launch on
  return {};
}

}  // namespace

Status set_up_profiling(Machine& machine, const std::function<std::string(const char*)>& variable) {
  constexpr std::string_view kReadOnly = "read:";
  std::string file = variable("SKMD_PROFILE_DB");
  if (file == "off") file.clear();
  const bool read_only = file.starts_with(kReadOnly);
  if (read_only) file.erase(0, kReadOnly.size());
  machine.profile_file = file;
  machine.observer->profile({file, 0, 0, ""});
  if (!file.empty() && !read_only) {
    for (const auto& device : machine.devices) machine.profile_keys.push_back(profile_key(*device));
    machine.settings.profile_tag = variable("SKMD_PROFILE_TAG");
    machine.profile = new profiler::SampleJournal(file, profiler::commit());
  }
  return set_up_mode(machine, variable);
}

}  // namespace skmd::icd
