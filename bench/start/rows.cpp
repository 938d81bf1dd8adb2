// SPDX-License-Identifier: Apache-2.0
#include "bench/start/rows.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bench/cpu/child.h"
#include "bench/start/process.h"
#include "bench/start/sides.h"

namespace bench {
namespace {

const std::vector<std::string> kSixteen = {
    "aes_decrypt", "aes_encrypt",           "binomial_option",  "black_scholes", "box_muller",       "fdtd3d",
    "histogram",   "matrix_multiplication", "matrix_transpose", "median_filter", "mersenne_twister", "nbody",
    "reduction",   "scan_large_arrays",     "sobel_filter",     "vector_add"};
const std::vector<std::string> kFive = {"start_fft", "start_matmul", "start_radix_sort", "start_scan", "start_dxt"};

constexpr const char *kWarm = "warm", *kTiny = "tiny_builds", *kCold = "cold";
constexpr double kLimit = 600;  // seconds that a process may take

struct Work {
  std::string program, size;
  std::vector<std::string> arguments;
};

/// One process of each side after the other, in a cache of the side's own that is kept or empty each time.
class Turns {
 public:
  Turns(const StartOptions& options, StartSide ours, StartSide theirs, bool is_cold)
      : options_(options), sides_{std::move(ours), std::move(theirs)}, is_cold_(is_cold) {}

  /// Throws std::runtime_error if a process fails.
  ProgramTimes take(const Work& work, int repetitions) {
    ProgramTimes times{work.program, work.size, {}, {}};
    Times* lists[] = {&times.ours, &times.theirs};
    // Fills the caches, and says whether results are right; cold processes are checked as they run.
    if (!is_cold_) {
      for (const StartSide& side : sides_) run(work, side, true, cache_.path());
    }
    for (int turn = 0; turn < repetitions; ++turn) {
      for (int i = 0; i < 2; ++i) {
        const int side = (turn + i) % 2;
        std::optional<TemporaryFolder> fresh;
        if (is_cold_) fresh.emplace();
        lists[side]->push_back(
            run(work, sides_[side], is_cold_ && turn == 0, is_cold_ ? fresh->path() : cache_.path()));
      }
    }
    return times;
  }

 private:
  double run(const Work& work, const StartSide& side, bool check, const std::string& cache) const {
    std::vector<std::string> command = {options_.folder + "/" + work.program};
    command.insert(command.end(), work.arguments.begin(), work.arguments.end());
    command.insert(command.end(), {"--device", side.selector});
    if (check) command.push_back("--check");
    const Ended ended = run_to_end(command, with_cache(side, cache).variables, kLimit);
    answer_of(command, ended);
    return ended.seconds;
  }

  const StartOptions& options_;
  StartSide sides_[2];
  bool is_cold_;
  TemporaryFolder cache_;
};

class StartTable {
 public:
  StartTable(const StartOptions& options, const std::function<void(const StartRow&)>& done)
      : options_(options), done_(done), pocl_(pocl_alone(folder_.path())) {
    if (!options.only_pocl && !std::filesystem::exists(options.library))
      throw std::runtime_error("there is no " + options.library);
  }

  void measure() {
    const StartSide cpu = options_.only_pocl ? pocl_ : skmd_cpu(folder_.path(), options_.library);
    const StartSide two = options_.only_pocl ? pocl_ : skmd_two_pocl(folder_.path(), options_.library);
    measure_row({.name = kWarm,
                 .description = "whole processes of the sixteen, caches warm: the CPU driver against PoCL",
                 .bars = {.mean = 0.8, .each = 1, .seconds = 0.020},
                 .programs = {},
                 .error = {}},
                Turns(options_, cpu, pocl_, false), sixteen(), options_.repetitions);
    measure_row(
        {.name = kTiny,
         .description = "as many tiny programs, each built and run, caches empty: PoCL's two devices against PoCL",
         .bars = {.mean = 1.2, .each = {}, .seconds = 0},
         .programs = {},
         .error = {}},
        Turns(options_, two, pocl_, true), tiny(), options_.tiny_repetitions);
    measure_row({.name = kCold,
                 .description = "whole processes of the five, caches empty: the CPU driver against PoCL (no goal)",
                 .bars = {},
                 .programs = {},
                 .error = {}},
                Turns(options_, cpu, pocl_, true), five(), options_.cold_repetitions);
  }

 private:
  void measure_row(StartRow row, Turns&& turns, const std::vector<Work>& list, int repetitions) {
    if (!options_.rows.empty() && !options_.rows.contains(row.name)) return;
    for (const Work& work : list) {
      if (!options_.programs.empty() && !options_.programs.contains(work.program)) continue;
      try {
        row.programs.push_back(turns.take(work, repetitions));
      } catch (const std::exception& error) {
        row.error += (row.error.empty() ? "" : "; ") + std::string(error.what());
      }
    }
    done_(row);
  }

  std::vector<Work> sixteen() const {
    std::vector<Work> list;
    for (const std::string& size : {std::string("small"), std::string("profile1")}) {
      for (const std::string& name : kSixteen) {
        // A step of nbody at profile1 takes PoCL a minute.
        const bool fits = size == "small" || (!options_.quick && name != "nbody");
        if (fits) list.push_back({name, size, {"--size", size}});
      }
    }
    return list;
  }

  std::vector<Work> tiny() const {
    const std::string count = std::to_string(options_.tiny_programs);
    return {{"start_tiny_builds", count, {"--count", count}}};
  }

  std::vector<Work> five() const {
    const std::string size = options_.quick ? "small" : "paper";
    std::vector<Work> list;
    list.reserve(std::size(kFive));
    for (const std::string& name : kFive) list.push_back({name, size, {"--size", size}});
    return list;
  }

  const StartOptions& options_;
  const std::function<void(const StartRow&)>& done_;
  TemporaryFolder folder_;
  StartSide pocl_;
};

}  // namespace

std::vector<std::string> start_row_names() { return {kWarm, kTiny, kCold}; }

void measure_start(const StartOptions& options, const std::function<void(const StartRow&)>& done) {
  keep_to_two_processors();
  StartTable(options, done).measure();
}

}  // namespace bench
