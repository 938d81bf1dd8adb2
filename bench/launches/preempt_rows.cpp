// SPDX-License-Identifier: Apache-2.0
#include "bench/launches/preempt_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bench/cpu/child.h"
#include "bench/cpu/report.h"
#include "bench/launches/preempt_processes.h"
#include "bench/start/process.h"

namespace bench {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr double kLimit = 600;  // seconds that a process may take
constexpr const char* kSixteen[] = {
    "aes_decrypt", "aes_encrypt",           "binomial_option",  "black_scholes", "box_muller",       "fdtd3d",
    "histogram",   "matrix_multiplication", "matrix_transpose", "median_filter", "mersenne_twister", "nbody",
    "reduction",   "scan_large_arrays",     "sobel_filter",     "vector_add"};
/// Has one kernel, whose launches of every size have many groups.
constexpr const char* kStopped = "matrix_multiplication";

/// The stops of a workload's launches by the form that they had.
void add_stops(const Processes& processes, const LatencyOptions& options, const std::string& mode,
               ordered_json& stops) {
  const std::string file = processes.file("stops.json");
  const auto command =
      processes.workload(kStopped, {"--size", options.size, "--repeat", std::to_string(options.repeat), "--check"});
  answer_of(command, run_to_end(command,
                                processes.with({{"SKMD_PREEMPT", mode},
                                                {"SKMD_TEST_PREEMPT", "1:" + std::to_string(options.stop_after_us)},
                                                {"SKMD_STATS", file}}),
                                kLimit));
  const json statistics = read_statistics(file);
  for (const json& kernel : statistics.at("kernels")) {
    const json& preempt = kernel.at("preempt");
    const std::string key = key_of_form(preempt);
    if (key.empty() || stops.contains(key) || preempt.at("stops") == 0) continue;
    const json& times = preempt.at("stop_us");
    stops[key] = {{"p50", times.at("p50")}, {"p99", times.at("p99")}, {"max", times.at("max")}};
    stops[key]["stops"] = preempt.at("stops");
  }
}

double beside(const PreemptPlace& place, const Processes& processes, const LatencyOptions& options,
              const std::string& mode) {
  const std::vector<std::string> command = {place.program,    "beside",
                                            "--device",       processes.selector(),
                                            "--long-seconds", std::to_string(options.long_seconds),
                                            "--repetitions",  std::to_string(options.repetitions)};
  const json answer = answer_of(command, run_to_end(command, processes.with({{"SKMD_PREEMPT", mode}}), kLimit));
  return median(answer.at("us").get<std::vector<double>>());
}

/// One workload with and without giving way, turn by turn.
class Turns {
 public:
  Turns(const Processes& processes, const OverheadOptions& options, const std::string& name, const std::string& mode)
      : file_(processes.file(name + ".json")) {
    const auto command = processes.workload(name, {"--size", options.size, "--serve"});
    const Variables shared = {{"SKMD_PREEMPT_MS", std::to_string(options.preempt_ms)}};
    Variables on = shared, off = shared;
    on.insert({{"SKMD_PREEMPT", mode}, {"SKMD_STATS", file_}});
    off.insert({"SKMD_PREEMPT", "off"});
    children_[0].emplace(command, processes.with(on));
    children_[1].emplace(command, processes.with(off));
  }

  /// The first two of each do not count: the driver does not know yet how long launches take.
  void take(int repetitions) {
    for (int turn = -2; turn < repetitions; ++turn) {
      ++runs_;
      for (int i = 0; i < 2; ++i) {
        const int side = std::abs(turn + i) % 2;
        const double seconds = children_[side]->ask("run").at("kernels").get<double>();
        if (turn >= 0) times_[side].push_back(seconds);
      }
    }
    for (auto& child : children_) child.reset();
  }

  /// Adds to one of the lists, by the forms that the kernels had, if it has no workload of that name. `only`: no other
  /// list than this one; empty: any.
  void tell(const std::string& name, const std::string& only, std::map<std::string, ordered_json>& by_form,
            ordered_json& left_whole) const {
    const json kernels = read_statistics(file_).at("kernels");
    std::string key;
    double launches = 0;
    json why_not = json::object();
    for (const json& kernel : kernels) {
      const json& preempt = kernel.at("preempt");
      if (const std::string form = key_of_form(preempt); !form.empty()) key = form;
      why_not.update(preempt.at("why_not"));
      launches += kernel.at("launches").get<double>();
    }
    if (key.empty() && only.empty()) left_whole.push_back({{"name", name}, {"why_not", why_not}});
    if (key.empty() || (!only.empty() && key != only)) return;
    const double off = median(times_[1]);
    by_form[key].push_back({{"name", name},
                            {"ratio", median(times_[0]) / off},
                            {"launch_ms", 1e3 * off / std::max(1.0, launches / static_cast<double>(runs_))}});
  }

 private:
  const std::string file_;
  std::optional<Child> children_[2];
  Times times_[2];
  int runs_ = 0;
};

}  // namespace

std::string key_of_form(const json& preempt) {
  const std::string form = preempt.at("form");
  if (form == "none") return "";
  return form == "item" ? "item" : "cut";
}

ordered_json summary_of(const ordered_json& workloads) {
  ordered_json summary = {{"geomean", nullptr}, {"worst", nullptr}, {"workloads", workloads}};
  double sum = 0;
  const ordered_json* worst = nullptr;
  for (const ordered_json& workload : workloads) {
    sum += std::log(workload.at("ratio").get<double>());
    if (worst == nullptr || workload.at("ratio") > worst->at("ratio")) worst = &workload;
  }
  if (worst == nullptr) return summary;
  summary["geomean"] = std::exp(sum / static_cast<double>(workloads.size()));
  summary["worst"] = ordered_json::array({worst->at("name"), worst->at("ratio")});
  return summary;
}

ordered_json measure_latency(const PreemptPlace& place, const LatencyOptions& options) {
  const Processes processes(place);
  ordered_json stops = ordered_json::object();
  // What `auto` chooses, and then each form by itself.
  for (const char* mode : {"auto", "group", "item"}) add_stops(processes, options, mode, stops);
  if (stops.empty()) throw std::runtime_error(std::string("no launch of ") + kStopped + " was stopped");
  return {
      {"stop_us", stops},
      {"small_beside_long",
       {{"on_us", beside(place, processes, options, "auto")}, {"off_us", beside(place, processes, options, "off")}}}};
}

ordered_json measure_overhead(const PreemptPlace& place, const OverheadOptions& options) {
  const Processes processes(place);
  std::vector<std::string> programs = options.programs;
  if (programs.empty()) programs.assign(std::begin(kSixteen), std::end(kSixteen));
  std::map<std::string, ordered_json> by_form;
  ordered_json left_whole = ordered_json::array();
  const auto measure = [&](const std::string& mode, const std::string& only) {
    for (const std::string& name : programs) {
      const bool known = !only.empty() && std::any_of(by_form[only].begin(), by_form[only].end(),
                                                      [&](const auto& row) { return row.at("name") == name; });
      if (known) continue;
      Turns turns(processes, options, name, mode);
      turns.take(options.repetitions);
      turns.tell(name, only, by_form, left_whole);
    }
  };
  // What `auto` chooses, and then each form of those for which it chose the other.
  by_form["cut"] = by_form["item"] = ordered_json::array();
  measure("auto", "");
  measure("group", "cut");
  measure("item", "item");
  return {{"cut", summary_of(by_form["cut"])}, {"item", summary_of(by_form["item"])}, {"left_whole", left_whole}};
}

}  // namespace bench
