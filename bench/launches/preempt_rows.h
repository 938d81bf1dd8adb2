// SPDX-License-Identifier: Apache-2.0
// What launches that give way to others cost and gain on SKMD's CPU driver. Each figure comes from processes of its
// own, since a driver reads SKMD_PREEMPT when it is opened.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bench {

/// Where the programs and the driver are. Filled by the program from its own path.
struct PreemptPlace {
  std::string program;  // this one, which starts itself again
  std::string folder;   // of the workloads
  std::string library;
};

struct LatencyOptions {
  std::string size = "profile1";  // of the launches that are stopped
  int repeat = 20;                // how often they run
  int stop_after_us = 1000;       // when each part of one is asked to stop, on average
  double long_seconds = 2;
  int repetitions = 3;  // small launches beside a long one
};

struct OverheadOptions {
  std::string size = "profile1";
  /// SKMD_PREEMPT_MS of both sides. Source: the least that may be set: launches of the sixteen at `profile1` took from
  /// 0.16 ms (scan_large_arrays) to 4 s (nbody) on two cores of an EPYC with AVX2, and each is to be above it.
  double preempt_ms = 0.1;
  int repetitions = 9;
  std::vector<std::string> programs;  // empty: the sixteen
};

/// The form of a kernel's statistics as a key of the answers: "item" where its work-items end early, "cut" where only
/// work-groups do; "" where it was left whole. Pure.
std::string key_of_form(const nlohmann::json& preempt);

/// {"name","ratio","launch_ms"} of each workload to {"geomean","worst","workloads"}; nulls where there is none. Pure.
nlohmann::ordered_json summary_of(const nlohmann::ordered_json& workloads);

/// {"stop_us":{"cut":{"p50","p99","max","stops"},"item":{…}},"small_beside_long":{"on_us","off_us"}}. Throws
/// std::runtime_error if a process fails.
nlohmann::ordered_json measure_latency(const PreemptPlace& place, const LatencyOptions& options);

/// {"cut":{"geomean","worst":[name,ratio],"workloads":[{"name","ratio","launch_ms"}]},"item":{…},"left_whole":[{"name",
/// "why_not"}]}: kernels' times in each form over those with SKMD_PREEMPT=off, medians of turns; `left_whole` are those
/// that `auto` left whole. Throws std::runtime_error if a process fails.
nlohmann::ordered_json measure_overhead(const PreemptPlace& place, const OverheadOptions& options);

/// In a process of its own: microseconds that each of `repetitions` small launches took beside a launch of
/// `long_seconds` in another queue. Throws ClError.
std::vector<double> small_beside_long(const std::string& selector, double long_seconds, int repetitions);

}  // namespace bench
