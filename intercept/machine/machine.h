// SPDX-License-Identifier: Apache-2.0
// The machine behind the virtual device: what the composition root wires together, once per process.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler/client/client.h"
#include "intercept/backend/port/port.h"
#include "intercept/backend/port/remote_host.h"
#include "intercept/machine/device_memory.h"
#include "intercept/machine/device_type.h"
#include "intercept/machine/executor.h"
#include "intercept/machine/host_pages.h"
#include "intercept/machine/last_user.h"
#include "intercept/machine/preempt_settings.h"
#include "intercept/machine/round_roles.h"
#include "intercept/observe/observer.h"
#include "partitioner/base/mutex.h"
#include "partitioner/model/model.h"
#include "partitioner/model/profile_sink.h"
#include "partitioner/plan/partition.h"

namespace skmd::icd {

/// What becomes of what kernels do wrong (SKMD_CHECK).
enum class CheckMode : std::uint8_t {
  off,
  report,  // the launch runs to its end, and fails
  stop,    // the first trap ends the launch
  deopt,   // work-items that would trap leave GPUs and end on the CPU, as with `report`
};

/// Settings that users type, parsed once.
struct Settings {
  domain::PartitionPolicy policy;
  bool split_mixed = false;           // SKMD_SPLIT_MIXED
  bool verify = false;                // SKMD_VERIFY
  CheckMode check = CheckMode::off;   // SKMD_CHECK
  domain::RungSet rungs;              // SKMD_TEST_RUNGS
  std::string profile_tag;            // SKMD_PROFILE_TAG
  bool profile_every_launch = false;  // times are taken for the profile database also where decisions need none
  std::uint64_t profiled = 0;         // SKMD_PROFILE_DECIDES: a bit for each device of which `auto` goes by what former
                                      // processes measured
  bool remembers_rounds = false;      // of former processes, in `auto`: not with SKMD_PROFILE_DECIDES=0
  DeviceTypeChoice device_type = DeviceTypeChoice::automatic;  // SKMD_DEVICE_TYPE
  PreemptSettings preempt;                                     // SKMD_PREEMPT, SKMD_PREEMPT_MS, SKMD_TEST_PREEMPT
  std::uint64_t device_memory = 0;  // SKMD_TEST_DEVICE_MEMORY: bytes that each device may hold at most; 0: by its size
};

/// cl_arm_controlled_kernel_termination.
inline bool offers_termination(const Settings& settings) {
  return settings.check == CheckMode::stop || settings.check == CheckMode::deopt;
}

class DeviceInfo;
class BuildQueue;
class Knowledge;
class ProfilingMode;
class RunningLaunches;

struct Machine {
  DeviceMemory memory{*this};                    // outlives the devices' threads
  HostPagesMap pages;                            // likewise
  std::vector<std::shared_ptr<Device>> devices;  // order of `devices` everywhere
  std::vector<RemoteHost> hosts;                 // other machines that were asked for, also those that are away
  std::uint32_t anchor = 0;                      // honours everything that the virtual device reports, all at once
  Settings settings;
  compiler::Language language;       // of the virtual device
  const DeviceInfo* info = nullptr;  // what the virtual device reports (device_info.h)
  Executor* executor = nullptr;
  BuildQueue* builds = nullptr;  // null: programs are built on every device before their build ends
  Observer* observer = nullptr;
  domain::Model* model = nullptr;
  domain::ProfileSink* profile = nullptr;       // null: nothing is kept of what is measured
  Knowledge* knowledge = nullptr;               // null: what former processes measured is not asked for
  std::vector<domain::DeviceKey> profile_keys;  // of `devices`, where there is a sink or knowledge
  ProfilingMode* profiling = nullptr;           // null: launches are not profiled (profiling_mode.h)
  compiler::Client* compiler = nullptr;
  std::atomic<bool> prepared = false;  // prepare_builds() was called (intercept/build)
  bool code_ahead = false;  // our own code is made while a program is read, and known by its form (code_form.h)
  std::string code_folder;  // private; for code where memory cannot be executed

  RoundRoles rounds;

  LastUser last_user;  // of any memory

  std::function<void()> hosts_changed;     // called when a device was disabled; null: nothing is told of hosts
  std::function<void()> before_far_build;  // called before each build on a device of another machine; null: no effect
  std::atomic<bool> links_asked{false};    // measure_far_links() was called
  std::atomic<std::uint32_t> losses{0};    // devices that were disabled
  /// Per device: slices on it that give way while they run, which are the long ones.
  std::array<std::atomic<std::uint32_t>, domain::kMaxSpaces> long_slices{};
  Mutex loss_mutex{LockRank::device_loss};
  mutable Mutex report_mutex{LockRank::host_report};  // of report_hosts(): what is told last was seen last

  /// How many commands may be under way side by side: one for each in-order queue, two for each other one.
  std::atomic<std::uint32_t> command_streams{0};
  RunningLaunches* running = nullptr;  // null: launches cannot be controlled, and what follows never changes
  // Written by RunningLaunches alone.
  std::atomic<std::uint64_t> stopped{0};  // bit d: devices[d] gets no work, until it is started again
  std::atomic<bool> suspended{false};     // no device gets work, and launches wait
};

/// Where the device's bytes are.
inline domain::SpaceId space_of(const Machine& machine, std::uint32_t device) {
  return machine.devices[device]->description().space;
}

/// The device was stopped by skmd-ctl: it gets no launch. Thread-safe, like the two below.
inline bool is_stopped(const Machine& machine, std::uint32_t device) {
  return (machine.stopped.load(std::memory_order_acquire) >> device & 1) != 0;
}

/// No launch begins anywhere, until it is resumed.
inline bool is_suspended(const Machine& machine) { return machine.suspended.load(std::memory_order_acquire); }

/// The device works and may be given work now. For commands that hold their ranges: what RunningLaunches changes is
/// seen by all that take ranges afterwards.
inline bool takes_work(const Machine& machine, std::uint32_t device) {
  return !machine.devices[device]->health()->aside() && !is_stopped(machine, device) && !is_suspended(machine);
}

/// The spaces that may get bytes which no other memory has.
inline domain::SpaceMask spaces_at_work(const Machine& machine) {
  domain::SpaceMask mask = ~domain::SpaceMask{0};
  if (machine.running == nullptr) return mask;
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i)
    if (const auto space = space_of(machine, i); space != domain::kHostSpace && !takes_work(machine, i))
      mask &= ~(domain::SpaceMask{1} << space);
  return mask;
}

/// From now on a device of the machine that fails for good is disabled (Health::set_aside()), and the log says so. The
/// last enabled device stays: no other could run its work, and its driver may recover. Called once, before the devices
/// are used.
void watch_devices(Machine& machine);

/// machine.anchor or, if that is disabled or stopped, the first device that is neither.
std::uint32_t acting_anchor(const Machine& machine);

}  // namespace skmd::icd
