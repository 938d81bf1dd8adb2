// SPDX-License-Identifier: Apache-2.0
#include "bench/launches/preempt_rebalance.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/cpu/child.h"
#include "bench/cpu/report.h"
#include "bench/launches/preempt_processes.h"
#include "bench/support/opencl.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kSource = R"(
kernel void work(global uint* out, uint rounds) {
  uint x = get_global_id(0);
  for (uint k = 0; k < rounds; ++k) x = x * 1664525u + 1013904223u;
  out[get_global_id(0)] = x;
}
)";
constexpr std::size_t kGroup = 64, kGroups = 4096;
constexpr cl_uint kFewRounds = 2000, kMaxRounds = 100000000;
/// Launches of a side that do not count: until then times of the kernel become known. Source: chosen: plans of `auto`
/// have settled after six.
constexpr int kSettling = 8;
/// Percent of the groups on the first device, beside what `auto` finds.
constexpr int kShares[] = {40, 50, 60, 70, 80, 90, 100};

cl_uint result_of(cl_uint item, cl_uint rounds) {
  for (cl_uint k = 0; k < rounds; ++k) item = item * 1664525u + 1013904223u;
  return item;
}

class Divided {
 public:
  explicit Divided(const std::string& selector)
      : device_(selector),
        out_(device_.buffer(CL_MEM_READ_WRITE, kGroup * kGroups * sizeof(cl_uint))),
        program_(device_.build(kSource)),
        kernel_(program_, "work") {}

  /// Seconds.
  double run(cl_uint rounds) {
    kernel_.set(out_, rounds);
    const auto begin = Clock::now();
    device_.launch(kernel_, range_1d(kGroup * kGroups, kGroup));
    check_call(clFinish(device_.queue()), "clFinish");
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  /// Whether some of the last launch's results are right: of each group, one.
  bool check(cl_uint rounds) {
    std::vector<cl_uint> results(kGroup * kGroups);
    device_.read(out_, results);
    for (std::size_t group = 0; group < kGroups; group += 61) {
      const std::size_t item = group * kGroup + group % kGroup;
      if (results[item] != result_of(static_cast<cl_uint>(item), rounds)) return false;
    }
    return true;
  }

 private:
  Device device_;
  Buffer out_;
  Program program_;
  Kernel kernel_;
};

/// Launches that are divided in one way.
class Side {
 public:
  Side(const PreemptPlace& place, const Processes& processes, std::string name, Variables variables)
      : name_(std::move(name)), file_(processes.file(name_ + ".json")) {
    variables.insert({{"SKMD_TEST_CPUS", "best:1,sse:1@discrete"}, {"SKMD_STATS", file_}});
    child_ =
        std::make_unique<Child>(std::vector<std::string>{place.program, "divided", "--device", processes.selector()},
                                processes.with(std::move(variables)));
  }

  double run(cl_uint rounds) { return child_->ask("run " + std::to_string(rounds)).at("seconds").get<double>(); }
  void count(cl_uint rounds) { seconds_.push_back(run(rounds)); }
  [[nodiscard]] double milliseconds() const { return 1e3 * median(seconds_); }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Throws std::runtime_error if the last results were wrong. No other launch may follow.
  json end(cl_uint rounds) {
    if (!child_->ask("check " + std::to_string(rounds)).at("ok").get<bool>())
      throw std::runtime_error("wrong results of a launch divided by " + name_);
    child_.reset();
    return read_statistics(file_).at("kernels").at(0).at("preempt");
  }

 private:
  const std::string name_, file_;
  std::unique_ptr<Child> child_;
  Times seconds_;
};

/// So that the launch takes `seconds` on the first device alone.
cl_uint rounds_of(Side& alone, double seconds) {
  double shortest = 1e9;
  for (int i = 0; i < 3; ++i) shortest = std::min(shortest, alone.run(kFewRounds));
  return static_cast<cl_uint>(std::clamp(kFewRounds * seconds / shortest, 1.0, double{kMaxRounds}));
}

}  // namespace

ordered_json measure_rebalance(const PreemptPlace& place, const RebalanceOptions& options) {
  const Processes processes(place);
  std::ostringstream factors;
  factors << "1," << options.times;
  std::vector<std::unique_ptr<Side>> sides;
  const auto add = [&](const std::string& name, const Variables& variables) {
    sides.push_back(std::make_unique<Side>(place, processes, name, variables));
  };
  add("anew", {{"SKMD_TEST_RATES", factors.str()}});
  add("left", {{"SKMD_TEST_RATES", factors.str()}, {"SKMD_PREEMPT", "off"}});
  add("auto", {});
  for (const int share : kShares) {
    const std::string plan = "fixed:" + std::to_string(share) + "," + std::to_string(100 - share);
    add(plan, {{"SKMD_PARTITION", plan}});
  }
  const cl_uint rounds = rounds_of(*sides.back(), options.long_seconds);
  for (const auto& side : sides)
    for (int i = 0; i < kSettling; ++i) (void)side->run(rounds);
  for (int turn = 0; turn < options.turns; ++turn)
    for (const auto& side : sides) side->count(rounds);
  const auto best = std::min_element(sides.begin() + 2, sides.end(), [](const auto& a, const auto& b) {
    return a->milliseconds() < b->milliseconds();
  });
  const double best_ms = (*best)->milliseconds(), anew = sides[0]->milliseconds(), left = sides[1]->milliseconds();
  ordered_json told = {{"ratio", anew / best_ms},
                       {"launch_ms", anew},
                       {"best_ms", best_ms},
                       {"best_plan", (*best)->name()},
                       {"left_ms", left},
                       {"left_ratio", left / best_ms},
                       {"launches", options.turns + kSettling}};
  const json preempt = sides[0]->end(rounds);
  for (std::size_t i = 1; i < sides.size(); ++i) (void)sides[i]->end(rounds);
  told["rebalances"] = preempt.at("rebalances");
  told["moved_groups"] = preempt.at("moved_groups");
  return told;
}

int divide_launches(const std::string& selector) {
  Divided divided(selector);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string word;
    cl_uint rounds = 0;
    words >> word >> rounds;
    json answer = json::object();
    if (word == "run") answer["seconds"] = divided.run(rounds);
    if (word == "check") answer["ok"] = divided.check(rounds);
    std::cout << answer.dump() << std::endl;
  }
  return 0;
}

}  // namespace bench
