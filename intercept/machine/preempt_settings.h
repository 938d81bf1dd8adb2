// SPDX-License-Identifier: Apache-2.0
// What users say of launches that give way while they run: SKMD_PREEMPT, SKMD_PREEMPT_MS, SKMD_TEST_PREEMPT,
// SKMD_TEST_YIELDS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace skmd::icd {

enum class PreemptMode : std::uint8_t {
  off,
  automatic,  // long launches give way, in the way that costs least on their device
  cut,        // only by being given to a device in pieces
  group,      // only on devices that can end a launch between work-groups
  item,       // as `automatic`, but always by code that can be stopped inside of groups where a kernel has it
};

/// Stops at random times, for tests: launches of any length are stopped once, twice … until they have ended.
struct PreemptTest {
  std::uint32_t seed = 0;
  std::uint64_t nanoseconds = 0;  // from a slice's begin to its stop, on average
  enum class Then : std::uint8_t { stay, other, device } then = Then::stay;
  std::uint32_t device = 0;  // of Then::device: index of the device that runs the rest, if the launch is eligible there
};

struct PreemptSettings {
  PreemptMode mode = PreemptMode::off;
  double seconds = 0.010;  // SKMD_PREEMPT_MS: a device is to be free for others so soon
  std::optional<PreemptTest> test = {};
  bool every_loop = false;  // SKMD_TEST_YIELDS: all loops of kernels get yield points
};

/// Each of a variable's value that is not empty; nothing: it is not understood.
/// SKMD_PREEMPT: `auto`, `off`, `cut`, `group` or `item`.
std::optional<PreemptMode> parse_preempt_mode(const std::string& text);
/// SKMD_PREEMPT_MS in seconds: milliseconds, from kLeastPreemptSeconds to kMaxPreemptSeconds.
std::optional<double> parse_preempt_ms(const std::string& text);
/// SKMD_TEST_PREEMPT: `SEED:MICROSECONDS`, `SEED:MICROSECONDS:other` or `SEED:MICROSECONDS:DEVICE`, a device below
/// `devices`.
std::optional<PreemptTest> parse_preempt_test(const std::string& whole, std::size_t devices);

}  // namespace skmd::icd
