// SPDX-License-Identifier: Apache-2.0
// The composition root: reads the environment once, when an application first asks for platforms, and wires devices,
// compiler, model and observer. What it makes lives as long as the process: other threads may still use it at exit.
#include <CL/cl.h>
#include <dlfcn.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "compiler/client/cache.h"
#include "compiler/client/cache_folder.h"
#include "compiler/client/hash.h"
#include "cpu-driver/host_target.h"
#include "intercept/api/dispatch.h"
#include "intercept/api/platform.h"
#include "intercept/backend/discovery/discovery.h"
#include "intercept/control/periodic.h"
#include "intercept/control/server.h"
#include "intercept/cpu_driver.h"
#include "intercept/driver_asker.h"
#include "intercept/machine/busy_clock.h"
#include "intercept/machine/device_info.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/far_links.h"
#include "intercept/object/build_queue.h"
#include "intercept/profiling.h"
#include "intercept/stoppable_maker.h"
#include "partitioner/base/lock_order.h"
#include "partitioner/model/scaled_times.h"
#include "profiler/settings/checkpoint_place.h"
#include "profiler/settings/control_place.h"
#include "profiler/settings/host_list.h"
#include "profiler/settings/variables.h"

#define SKMD_EXPORT extern "C" __attribute__((visibility("default")))

namespace skmd::icd {
namespace {

namespace fs = std::filesystem;
using domain::Error;
using settings::Variable;

/// A set-user-id program takes none: the cache holds code that will be executed.
std::string environment(const char* name) {
  const char* value = secure_getenv(name);
  return value != nullptr ? value : "";
}

std::string variable(const Variable& which) { return environment(which.name); }

/// This library's own file, or "" if the loader does not say.
fs::path own_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&own_library), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const fs::path file = fs::canonical(info.dli_fname, error);
  return error ? fs::path(info.dli_fname) : file;
}

Result<bool> flag(const Variable& which) {
  const std::string value = variable(which);
  if (value.empty() || value == "0") return false;
  if (value == "1") return true;
  return Error{CL_PLATFORM_NOT_FOUND_KHR, settings::expected(which, value, "0 or 1")};
}

Result<CheckMode> check_mode() {
  const std::string value = variable(settings::kCheck);
  if (value.empty() || value == "0") return CheckMode::off;
  if (value == "1") return CheckMode::report;
  if (value == "stop") return CheckMode::stop;
  if (value == "deopt") return CheckMode::deopt;
  return Error{CL_PLATFORM_NOT_FOUND_KHR, settings::expected(settings::kCheck, value, "0, 1, stop or deopt")};
}

/// 0: not set.
Result<std::uint64_t> bytes(const Variable& which) {
  const std::string value = variable(which);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (value.empty() || (error == std::errc() && end == value.data() + value.size())) return number;
  return Error{CL_PLATFORM_NOT_FOUND_KHR, settings::expected(which, value, "a number of bytes")};
}

Result<PreemptSettings> read_preempt(std::size_t devices) {
  PreemptSettings preempt{.mode = PreemptMode::automatic};
  const auto wrong = [](const Variable& which, const std::string& what) {
    return Error{CL_PLATFORM_NOT_FOUND_KHR, settings::expected(which, variable(which), what)};
  };
  if (const std::string text = variable(settings::kPreempt); !text.empty()) {
    const auto mode = parse_preempt_mode(text);
    if (!mode) return wrong(settings::kPreempt, "auto, off, cut, group or item");
    preempt.mode = *mode;
  }
  if (const std::string text = variable(settings::kPreemptMs); !text.empty()) {
    const auto seconds = parse_preempt_ms(text);
    if (!seconds) return wrong(settings::kPreemptMs, "a number of milliseconds from 0.1 to 86400000");
    preempt.seconds = *seconds;
  }
  if (const std::string text = variable(settings::kTestPreempt); !text.empty()) {
    preempt.test = parse_preempt_test(text, devices);
    if (!preempt.test)
      return wrong(settings::kTestPreempt, "SEED:MICROSECONDS, SEED:MICROSECONDS:other or SEED:MICROSECONDS:DEVICE");
  }
  const std::string yields = variable(settings::kTestYields);
  if (!yields.empty() && yields != "every") return wrong(settings::kTestYields, "every");
  preempt.every_loop = !yields.empty();
  return preempt;
}

/// What a launch is not whose work-items leave their device: it ends on another one, and is as right as its own checks.
/// Merge functions would have stores that such items did not make yet.
void take_items_back(Settings& settings) {
  settings.preempt = {.mode = PreemptMode::off};
  settings.verify = false;
  settings.rungs = settings.rungs.without(domain::Rung::kernel);
}

Result<Settings> read_settings(size_t device_count, CheckMode check) {
  Settings settings;
  settings.check = check;
  // Not with a SKMD_CHECK that leaves one device.
  const bool splits = check == CheckMode::off || check == CheckMode::deopt;
  if (const std::string partition = variable(settings::kPartition); !partition.empty() && splits) {
    auto policy = domain::parse_policy(partition, device_count);
    if (!policy) return policy.error();
    settings.policy = std::move(*policy);
  }
  if (const std::string names = variable(settings::kTestRungs); !names.empty()) {
    auto rungs = domain::parse_rungs(names);
    if (!rungs) return rungs.error();
    settings.rungs = *rungs;
  }
  if (const auto cap = cpu::parse_isa_cap(variable(settings::kTestIsa)); !cap)
    return Error{CL_PLATFORM_NOT_FOUND_KHR, cap.error().reason};
  const auto type = parse_device_type(variable(settings::kDeviceType));
  if (!type) return type.error();
  settings.device_type = *type;
  const auto memory = bytes(settings::kTestDeviceMemory);
  if (!memory) return memory.error();
  settings.device_memory = *memory;
  const auto preempt = read_preempt(device_count);
  if (!preempt) return preempt.error();
  settings.preempt = *preempt;
  const auto mixed = flag(settings::kSplitMixed);
  if (!mixed) return mixed.error();
  const auto verify = flag(settings::kVerify);
  if (!verify) return verify.error();
  settings.split_mixed = *mixed;
  settings.verify = *verify;
  if (check == CheckMode::deopt) take_items_back(settings);
  return settings;
}

/// Only our own driver's code is checked and, where work-items leave it, that of vendors' devices in this machine.
Status keep_checked(Discovery& found, CheckMode check) {
  std::vector<std::shared_ptr<Device>> kept;
  bool ours = false;
  for (auto& device : found.devices) {
    const DeviceDescription& description = device->description();
    const bool own = description.backend == "cpu-driver" && (!ours || check == CheckMode::deopt);
    ours = ours || own;
    if (own || description.leaves_at_traps)
      kept.push_back(std::move(device));
    else
      found.left_out.push_back(description.name + ": accesses are not checked there (SKMD_CHECK)");
  }
  found.devices = std::move(kept);
  if (ours) return {};
  return Error{CL_PLATFORM_NOT_FOUND_KHR, "SKMD_CHECK needs the host CPU among the devices: SKMD_DEVICES=cpu"};
}

/// For tests: plans go by other rates than those that are known.
Status misjudge(Machine& machine) {
  const std::string text = variable(settings::kTestRates);
  if (text.empty()) return {};
  auto factors = domain::parse_rate_factors(text, machine.devices.size());
  if (!factors) return Error{CL_PLATFORM_NOT_FOUND_KHR, factors.error().reason};
  machine.model = new domain::ScaledTimes(*machine.model, std::move(*factors));
  return {};
}

/// Answers of drivers lie in the cache of compiled programs, by whose rules it is believed.
FactsStore facts_store(const std::string& folder) {
  const auto cache = std::make_shared<const compiler::Cache>(folder);
  FactsStore store;
  store.find = [cache](const std::string& key) -> std::optional<std::string> {
    auto reply = cache->find(compiler::content_hash(key), "/");
    if (!reply) return std::nullopt;
    return std::move(reply->answer.text);
  };
  store.keep = [cache](const std::string& key, const std::string& text, const std::vector<std::string>& files) {
    compiler::Reply reply;
    reply.answer.text = text;
    for (const std::string& file : files) {
      auto state = compiler::depend_on(file);
      if (!state) return;
      reply.files.push_back(std::move(*state));
    }
    cache->store(compiler::content_hash(key), reply);
  };
  return store;
}

/// A program of ours that is started by this library.
std::string helper_beside(const fs::path& library, const char* name) {
  return library.parent_path().parent_path() / "libexec" / "skmd" / name;
}

/// The library through which devices of other machines are reached.
std::string remote_engine(const fs::path& library) {
  const std::string other = variable(settings::kTestRemoteEngine);
  return other.empty() ? (library.parent_path() / "skmd" / "libpocl-remote.so").string() : other;
}

Result<Discovery> find_devices(const fs::path& library, const Machine& machine, CheckMode check) {
  DiscoveryOptions options;
  if (const std::string folder = variable(settings::kVendors); !folder.empty()) {
    options.vendors_folder = folder;
    options.folder_is_named = true;
  }
  options.selectors = variable(settings::kDevices);
  options.own_library = library;
  options.facts = facts_store(machine.code_folder);
  options.ask = driver_asker(helper_beside(library, "skmd-ask"), library, machine.code_folder);
  auto cpu_driver =
      cpu_driver_options(machine, variable(settings::kTestCpuDriver), variable(settings::kCpuThreads), check);
  if (!cpu_driver) return cpu_driver.error();
  options.cpu_driver = std::move(*cpu_driver);
  const auto trap_bytes = bytes(settings::kTestTrapBytes);
  if (!trap_bytes) return trap_bytes.error();
  if (check == CheckMode::off || check == CheckMode::deopt)
    options.stoppable = stoppable_maker(machine, check == CheckMode::deopt);
  if (options.stoppable && options.cpu_driver) options.stoppable->trap_handling = options.cpu_driver->traps;
  if (options.stoppable && *trap_bytes != 0) options.stoppable->trap_bytes = *trap_bytes;
  auto variants = cpu_variants(variable(settings::kTestCpus), options.cpu_driver.has_value());
  if (!variants) return variants.error();
  options.cpu_variants = std::move(*variants);
  auto hosts = settings::parse_hosts(settings::kHosts.name, variable(settings::kHosts));
  if (!hosts) return Error{CL_PLATFORM_NOT_FOUND_KHR, hosts.error().reason};
  if (const Status tried = settings::all_tried(settings::kHosts.name, *hosts); !tried)
    return Error{CL_PLATFORM_NOT_FOUND_KHR, tried.error().reason};
  for (const settings::Host& host : *hosts) options.hosts.push_back({host.name, host.server});
  options.engine = remote_engine(library);
  auto found = discover(options);
  if (!found) return found;
  if (check != CheckMode::off)
    if (Status status = keep_checked(*found, check); !status) return status.error();
  std::vector<std::shared_ptr<Device>> fit;
  for (auto& device : found->devices) {
    const std::string reason = unfit(*device);
    if (reason.empty()) {
      fit.push_back(std::move(device));
    } else {
      found->left_out.push_back(device->description().name + ": " + reason);
    }
  }
  found->devices = std::move(fit);
  if (found->devices.empty()) return Error{CL_PLATFORM_NOT_FOUND_KHR, "every device that was found is left out"};
  return found;
}

/// For BuildQueue: GPUs but the anchor, whose context the application's first build makes; and devices of other
/// machines, where building a program takes some milliseconds of the application's processor.
std::uint64_t slow_to_start(const Machine& machine) {
  std::uint64_t devices = 0;
  for (std::uint32_t i = 0; i < machine.devices.size() && i < 64; ++i) {
    const DeviceDescription& description = machine.devices[i]->description();
    if (i != machine.anchor && (description.kind == DeviceKind::gpu || !description.host.empty()))
      devices |= std::uint64_t{1} << i;
  }
  return devices;
}

void tell_observer(const Machine& machine) {
  std::vector<ObservedDevice> list;
  for (const auto& device : machine.devices) {
    const DeviceDescription& description = device->description();
    const char* kind = description.kind == DeviceKind::gpu   ? "gpu"
                       : description.kind == DeviceKind::cpu ? "cpu"
                                                             : "accelerator";
    list.push_back({description.name, kind, description.backend, description.host});
  }
  machine.observer->partition_mode(machine.settings.policy.mode);
  machine.observer->devices(list);
}

Result<api::Composition> compose_on(Observer& observer) {
  const fs::path library = own_library();
  // Never destroyed; kept where leak checkers see it, also where memory for the rest is short.
  static auto* machine = new Machine;
  machine->observer = &observer;
  machine->code_folder = compiler::cache_folder(environment);
  const auto check = check_mode();
  if (!check) return check.error();
  const auto control =
      settings::control_folder(variable(settings::kControl), environment("XDG_RUNTIME_DIR"), geteuid());
  if (!control) return Error{CL_PLATFORM_NOT_FOUND_KHR, control.error().reason};
  const auto checkpoint = settings::parse_checkpoint(variable(settings::kCheckpoint));
  if (!checkpoint) return Error{CL_PLATFORM_NOT_FOUND_KHR, checkpoint.error().reason};
  auto found = find_devices(library, *machine, *check);
  if (!found) return found.error();
  for (const std::string& reason : found->left_out) observer.log(LogLevel::info, "left out: " + reason);
  for (const RemoteHost& host : found->hosts)
    if (!host.away.empty()) observer.log(LogLevel::warn, "left out: host " + host.address + ": " + host.away);
  machine->hosts = std::move(found->hosts);
  auto settings = read_settings(found->devices.size(), *check);
  if (!settings) return settings.error();

  machine->devices = std::move(found->devices);
  // Checked code is asked for by itself.
  machine->code_ahead = *check == CheckMode::off;
  machine->anchor = choose_anchor(machine->devices);
  // Launches that no other device can check run there.
  if (*check == CheckMode::deopt)
    machine->anchor = static_cast<std::uint32_t>(
        std::find_if(machine->devices.begin(), machine->devices.end(),
                     [](const auto& device) { return device->description().backend == "cpu-driver"; }) -
        machine->devices.begin());
  machine->settings = std::move(*settings);
  if (machine->devices.size() > 1 && machine->settings.policy.mode == domain::PartitionMode::automatic)
    BusyClock::start();
  machine->executor = new Executor;
  machine->builds = new BuildQueue(0, slow_to_start(*machine));
  machine->compiler =
      new compiler::Client({.helper = helper_beside(library, "skmd-compile"), .cache = machine->code_folder});
  static auto* info = new DeviceInfo(*machine);
  machine->info = info;
  machine->language = info->language();
  const fs::path profiles = library.parent_path().parent_path() / "share" / "skmd" / "profiles";
  const ProfilingPlaces places{machine->code_folder, profiles};
  if (Status status = set_up_profiling(*machine, variable, places); !status) return status.error();
  if (Status status = misjudge(*machine); !status) return status.error();
  set_up_far_links(*machine);
  tell_observer(*machine);
  watch_devices(*machine);
  found->settle();
  if (*control)
    if (Status status = control::serve(*machine, **control); !status)
      observer.log(LogLevel::warn, "launches cannot be controlled: " + status.error().reason);
  if (*checkpoint)
    if (Status status = control::keep_checkpoints(*machine, **checkpoint); !status)
      observer.log(LogLevel::warn, "there are no checkpoints: " + status.error().reason);
  return api::Composition{machine, info, std::move(found->left_out)};
}

Result<api::Composition> compose() {
  // Called once. Never destroyed, as all of this is not; kept where leak checkers see it, also without a platform.
  static auto* observer = new Observer({.stats_file = variable(settings::kStats),
                                        .trace_file = variable(settings::kTrace),
                                        .log = variable(settings::kLog),
                                        .shared_folder = variable(settings::kStatsShm)});
  auto composition = compose_on(*observer);
  if (!composition) observer->log(LogLevel::error, "no platform: " + composition.error().reason);
  return composition;
}

void prepare() {
  static constinit OnceFlag prepared(LockRank::prepared);
  prepared.call([] { api::set_composer(compose); });
}

}  // namespace
}  // namespace skmd::icd

SKMD_EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id* platforms,
                                                      cl_uint* num_platforms) {
  skmd::icd::prepare();
  return skmd::icd::api::platform_ids(num_entries, platforms, num_platforms);
}

SKMD_EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t size,
                                                 void* value, size_t* size_ret) {
  skmd::icd::prepare();
  return skmd::icd::api::clGetPlatformInfo(platform, name, size, value, size_ret);
}

SKMD_EXPORT void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  skmd::icd::prepare();
  // Khronos' loader asks here for the function that the others find by symbol.
  if (name != nullptr && std::string_view(name) == "clIcdGetPlatformIDsKHR")
    return reinterpret_cast<void*>(&clIcdGetPlatformIDsKHR);
  return skmd::icd::api::function_address(name);
}
