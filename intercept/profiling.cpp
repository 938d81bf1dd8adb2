// SPDX-License-Identifier: Apache-2.0
#include "intercept/profiling.h"

#include <CL/cl.h>

#include <bit>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>

#include "intercept/launch/profiling_mode.h"
#include "intercept/machine/expectation.h"
#include "intercept/machine/knowledge.h"
#include "intercept/machine/profile_key.h"
#include "intercept/observe/observer.h"
#include "partitioner/model/known_times.h"
#include "profiler/database/commit.h"
#include "profiler/database/journal.h"
#include "profiler/database/profile_place.h"
#include "profiler/database/stored_profile.h"

namespace skmd::icd {
namespace {

constexpr std::uint32_t kMaxRepeats = 1000;  // that SKMD_PROFILE_REPEAT may ask for

domain::Error bad(const settings::Variable& which, const std::string& value, const std::string& what) {
  return {CL_PLATFORM_NOT_FOUND_KHR, settings::expected(which, value, what)};
}

Result<std::uint32_t> repeats(const std::string& text) {
  std::uint32_t number = 0;
  if (text.empty()) return number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0 || number > kMaxRepeats)
    return bad(settings::kProfileRepeat, text, "a number from 1 to " + std::to_string(kMaxRepeats));
  return number;
}

Status set_up_mode(Machine& machine, const ReadVariable& variable) {
  const std::string spans = variable(settings::kProfileSpans);
  // Profiles are of unchecked code.
  if (spans.empty() || machine.settings.check == CheckMode::deopt) return {};
  ProfilingSettings settings;
  const auto plan = domain::parse_span_plan(spans);
  if (!plan) return domain::Error{CL_PLATFORM_NOT_FOUND_KHR, "SKMD_PROFILE_SPANS: " + plan.error().reason};
  settings.spans = *plan;
  const auto repeat = repeats(variable(settings::kProfileRepeat));
  if (!repeat) return repeat.error();
  settings.repeat = *repeat;
  const std::string warm = variable(settings::kProfileWarm);
  if (!warm.empty() && warm != "0" && warm != "1") return bad(settings::kProfileWarm, warm, "0 or 1");
  settings.warm = warm == "1";
  std::unique_ptr<profiler::RunCounters> counters;
  if (const std::string folder = variable(settings::kProfileCounts); !folder.empty())
    counters = profiler::RunCounters::create(folder, machine.devices.size());
  machine.profiling = new ProfilingMode(settings, std::move(counters));
  machine.builds = nullptr;  // a kernel is profiled on every device from its first launch on
  return {};
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void set_up_knowledge(Machine& machine, domain::KnownTimes& model, const profiler::ProfilePlace& place,
                      const std::string& shipped) {
  Observer& observer = *machine.observer;
  auto* store = new profiler::StoredProfile({place.file, place.read_only, shipped, machine.profile_keys});
  std::function<void()> first;
  if (place.read_only && place.named) {
    first = [file = place.file, &observer] {
      std::error_code error;
      if (!std::filesystem::exists(file, error) && !error)
        observer.profile_loaded(0, "no such file: SKMD_PROFILE_DB=read:" + file.string());
    };
  }
  if (!place.read_only) {
    auto* journal = new profiler::SampleJournal(place.file, profiler::commit());
    machine.profile = journal;
    first = [journal, &observer] {
      journal->prepare();
      // Where it fails, no launch ends in a sample that would tell.
      const domain::SinkProgress progress = journal->progress();
      if (!progress.problem.empty()) observer.profile_written(progress.written, progress.problem);
    };
  }
  const auto told = [&observer](std::uint64_t samples, const std::string& problem) {
    observer.profile_loaded(samples, problem);
  };
  machine.knowledge = new Knowledge(*store, model, told, Knowledge::Delays(), std::move(first));
}

/// The devices of which `auto` goes by stored times, a bit each: all if all use host memory in place; else those of
/// this machine with a memory of their own, if there are two or more to choose from. Beside them stored times of a
/// processor miss what its first use of memory costs that no device before it has touched.
std::uint64_t profiled_devices(const Machine& machine) {
  std::uint64_t all = 0, apart = 0;
  for (std::uint32_t device = 0; device < machine.devices.size(); ++device) {
    const DeviceDescription& described = machine.devices[device]->description();
    const std::uint64_t bit = std::uint64_t{1} << device;
    all |= bit;
    if (described.space != domain::kHostSpace) apart |= bit;
  }
  if (apart == 0) return all;
  for (std::uint32_t device = 0; device < machine.devices.size(); ++device)
    if (!machine.devices[device]->description().host.empty()) apart &= ~(std::uint64_t{1} << device);
  return std::popcount(apart) > 1 ? apart : 0;
}

}  // namespace

Status set_up_profiling(Machine& machine, const ReadVariable& variable, const ProfilingPlaces& places) {
  std::vector<domain::DeviceModel> expected;
  for (const auto& device : machine.devices) expected.push_back(expected_of(*device));
  const std::string decides = variable(settings::kProfileDecides);
  if (!decides.empty() && decides != "0" && decides != "1") return bad(settings::kProfileDecides, decides, "0 or 1");
  if (decides != "0") machine.settings.profiled = decides == "1" ? ~std::uint64_t{0} : profiled_devices(machine);
  machine.settings.remembers_rounds = decides != "0";
  const bool careful = machine.settings.policy.mode == domain::PartitionMode::automatic && decides != "1";
  auto* model = new domain::KnownTimes(std::move(expected), seconds_now,
                                       careful ? domain::StoredTrust::sure : domain::StoredTrust::all);
  machine.model = model;
  profiler::ProfilePlace place = profiler::profile_place(variable(settings::kProfileDb), places.cache_folder);
  if (machine.settings.check != CheckMode::off) place = {};  // checked code has times of its own
  machine.observer->profile_file(place.file);
  if (!place.file.empty()) {
    for (const auto& device : machine.devices) machine.profile_keys.push_back(profile_key(*device));
    set_up_knowledge(machine, *model, place, places.shipped);
    if (!place.read_only) {
      machine.settings.profile_tag = variable(settings::kProfileTag);
      machine.settings.profile_every_launch = place.named;
    }
  }
  return set_up_mode(machine, variable);
}

}  // namespace skmd::icd
