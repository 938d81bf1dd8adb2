// SPDX-License-Identifier: Apache-2.0
// What the fault matrix runs: configurations of the session, and in each the failures of its calls.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace skmd::test {

/// Stands for operator new among the calls: "new:N" fails the driver's N-th allocation on the application's thread,
/// "new@STEP:N" the N-th of that step.
inline constexpr const char* kAllocation = "new";
struct Configuration {
  const char* name;
  const char* devices;   // STUB_DEVICES
  const char* selected;  // SKMD_DEVICES
  const char* delay;     // STUB_DELAY_US
  const char* partition;
  const char* rungs = "";  // SKMD_TEST_RUNGS
  const char* info = "";   // STUB_INFO
};
/// Quiet launches, two queues for a device, staged writes, and events that say nothing after a failure.
inline constexpr const char* kLikeNvidia = "VENDOR=NVIDIA Corporation";
inline constexpr Configuration kConfigurations[] = {
    {"split", "gpu,gpu", "stub:0,stub:1", "0", "equal"},
    {"replay", "gpu,gpu", "stub:0,stub:1", "0", "equal", "kernel"},
    {"dealt", "gpu,gpu", "stub:0,stub:1", "0", "dynamic:1"},
    {"split-inline", "gpu,gpu", "stub:0,stub:1", "-1", "equal"},
    {"whole", "gpu,gpu", "stub:0,stub:1", "0", "single:0"},
    {"in-place", "gpu,cpu", "stub:0,stub:1", "0", "equal"},
    {"three", "gpu,gpu,cpu", "stub:0,stub:1,stub:2@discrete", "0", "auto"},
    {"one", "gpu", "stub:0", "0", "equal"},
    {"nvidia", "gpu,gpu", "stub:0,stub:1", "0", "equal", "", kLikeNvidia},
    {"nvidia-replay", "gpu,gpu", "stub:0,stub:1", "0", "equal", "kernel@device", kLikeNvidia},
    {"nvidia-whole", "gpu,gpu", "stub:0,stub:1", "0", "single:0", "", kLikeNvidia},
    {"nvidia-one", "gpu", "stub:0", "0", "equal", "", kLikeNvidia},
};

struct Run {
  const Configuration* configuration;
  std::string failure;  // as stub::set_failure() takes it
  bool failed = false;
};

/// Adds the configuration's runs, one for each failure. `uses`: what its session uses, by call. `full`: every use of
/// each call with all codes, in place of the selection.
void plan(const Configuration& configuration, const std::map<std::string, std::size_t>& uses, bool full,
          std::vector<Run>& runs);

}  // namespace skmd::test
