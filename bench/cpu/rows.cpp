// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu/rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include "bench/cpu/baselines.h"
#include "bench/cpu/sides.h"

namespace bench {
namespace {

const std::vector<std::string> kSixteen = {
    "aes_decrypt", "aes_encrypt",           "binomial_option",  "black_scholes", "box_muller",       "fdtd3d",
    "histogram",   "matrix_multiplication", "matrix_transpose", "median_filter", "mersenne_twister", "nbody",
    "reduction",   "scan_large_arrays",     "sobel_filter",     "vector_add"};
const std::vector<std::string> kByHand = {
    "nbody", "matrix_multiplication", "black_scholes", "binomial_option", "fft_2d", "cholesky"};
const std::vector<std::string> kByLoops = {"reduction", "vector_add", "matrix_transpose", "scan_large_arrays"};
const std::vector<std::string> kDivergent = {"mandelbrot", "ray_march", "bfs_level"};
const std::vector<std::string> kDoubles = {"monte_carlo", "fft_2d", "cholesky"};

// The same on every processor; the others are in goals.h.
constexpr double kDoublesBound = 1.2, kDoublesByHandBound = 0.7;
constexpr double kEmptyKernelBound = 10, kEmptyGroupBound = 10;  // us, ns
constexpr double kHalfBound = 0.52, kColdBound = 1;

bool is_one_of(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Enough work for milliseconds, and not for minutes on the slower side.
std::string size_of(const CpuOptions& options, const std::string& workload) {
  if (!options.size.empty()) return options.size;
  return workload == "nbody" ? "small" : "profile1";
}

class Table {
 public:
  Table(const CpuOptions& options, const std::function<void(const Row&)>& done)
      : options_(options),
        done_(done),
        goals_(options.goals),
        pool_(options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency())) {}

  void measure() {
    for (const std::string& workload : kSixteen) measure_workload(workload, goals_.workload);
    if (wants("geometric_mean")) done_(mean());
    for (const std::string& workload : kDivergent) measure_workload(workload, goals_.divergent);
    for (const std::string& workload : kDoubles) measure_workload(workload, kDoublesBound);
    measure_probes();
    if (wants("cold_compile")) guarded("cold_compile", "x", kColdBound, Goal::at_most, [this] { done_(cold()); });
  }

 private:
  bool wants(const std::string& row) const { return options_.rows.empty() || options_.rows.contains(row); }

  /// Calls `body`; if it throws, the row is one without a figure.
  void guarded(const std::string& name, const std::string& unit, double bound, Goal goal,
               const std::function<void()>& body) {
    try {
      body();
    } catch (const std::exception& error) {
      done_({.name = name, .unit = unit, .goal = goal, .bound = bound, .details = {}, .error = error.what()});
    }
  }

  void measure_workload(const std::string& workload, double bound) {
    const bool by_hand = is_one_of(kByHand, workload) && wants(workload + "/by_hand");
    const bool by_loops = is_one_of(kByLoops, workload) && wants(workload + "/by_loops");
    const bool of_mean = wants("geometric_mean") && is_one_of(kSixteen, workload);
    if (!by_hand && !by_loops && !of_mean && !wants(workload)) return;
    try {
      compare(workload, bound, by_hand, by_loops);
    } catch (const std::exception& error) {
      const auto fail = [&](const std::string& name, double goal) {
        done_({.name = name, .unit = "x", .bound = goal, .details = {}, .error = error.what()});
      };
      if (wants(workload)) fail(workload, bound);
      if (by_hand) fail(workload + "/by_hand", by_hand_bound(workload));
      if (by_loops) fail(workload + "/by_loops", goals_.by_loops);
    }
  }

  [[nodiscard]] double by_hand_bound(const std::string& workload) const {
    return is_one_of(kDoubles, workload) ? kDoublesByHandBound : goals_.by_hand;
  }

  void compare(const std::string& workload, double bound, bool by_hand, bool by_loops) {
    const std::string size = size_of(options_, workload);
    Side ours = start_ours(options_, {workload, "--serve", "--size", size}, cache_.path());
    Side pocl = start_pocl(options_, {workload, "--serve", "--size", size}, cache_.path());
    std::vector<Contestant> contestants = {{"ours", [&] { return ours.seconds_of_run(); }},
                                           {"pocl", [&] { return pocl.seconds_of_run(); }}};
    std::optional<Baseline> baseline;
    if (by_hand) baseline = bench::by_hand(workload, size, pool_, peak_now());
    if (by_loops) baseline = bench::by_loops(workload, size, pool_);
    if (baseline) contestants.push_back({"baseline", baseline->once});
    const std::vector<Times> times = take_turns(contestants, options_.repetitions);
    const std::string wrong = ours.wrong_result();
    Row row = ratio_row(workload, bound, times[1], times[0]);
    row.details["size"] = size;
    row.error = wrong;
    if (wrong.empty()) ratios_.push_back(row.figure);
    if (wants(workload)) done_(row);
    if (!baseline) return;
    Row second = ratio_row(workload + (by_hand ? "/by_hand" : "/by_loops"),
                           by_hand ? by_hand_bound(workload) : goals_.by_loops, times[2], times[0]);
    second.details["size"] = size;
    second.details["baseline"] = baseline->describe(median(times[2]));
    second.error = wrong;
    done_(second);
  }

  double peak_now() {
    if (peak_ == 0) peak_ = peak(pool_);
    return peak_;
  }

  Row mean() const {
    Row row{.name = "geometric_mean", .unit = "x", .bound = goals_.mean, .details = {}, .error = {}};
    if (ratios_.size() != kSixteen.size()) {
      row.error = "not all of the sixteen have a figure";
      return row;
    }
    double logarithms = 0;
    for (const double ratio : ratios_) logarithms += std::log(ratio);
    row.figure = std::exp(logarithms / static_cast<double>(ratios_.size()));
    const auto [low, high] = std::minmax_element(ratios_.begin(), ratios_.end());
    row.low = *low;
    row.high = *high;
    return row;
  }

  void measure_probes() {
    const auto probe = [this](const std::string& name, const std::string& request, const char* unit, double scale,
                              double bound) {
      if (!wants(name)) return;
      guarded(name, unit, bound, Goal::at_most, [&] {
        Side ours = start_ours(options_, {"cpu", "--probes"}, cache_.path()),
             pocl = start_pocl(options_, {"cpu", "--probes"}, cache_.path());
        std::vector<double> values, theirs;
        for (int turn = 0; turn <= options_.repetitions; ++turn) {
          const nlohmann::json mine = ours.child().ask(request), other = pocl.child().ask(request);
          if (turn == 0) continue;
          values.push_back(figure_of(mine) * scale);
          theirs.push_back(figure_of(other) * scale);
        }
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        Row row{.name = name,
                .unit = unit,
                .goal = Goal::at_most,
                .bound = bound,
                .figure = median(values),
                .low = *low,
                .high = *high,
                .details = {},
                .error = {}};
        row.details["pocl"] = median(theirs);
        done_(row);
      });
    };
    probe("empty_kernel", "empty", "us", 1e6, kEmptyKernelBound);
    probe("empty_group", "group", "ns", 1e9, kEmptyGroupBound);
    probe("half_the_groups", "half", "x", 1, kHalfBound);
  }

  static double figure_of(const nlohmann::json& answer) {
    if (answer.contains("half")) return answer["half"].get<double>() / answer["all"].get<double>();
    return answer["seconds"].get<double>();
  }

  /// Each program compiled by processes that find empty caches; sums over the sixteen.
  Row cold() {
    Times ours, theirs;
    for (int turn = 0; turn < options_.repetitions; ++turn) {
      double mine = 0, others = 0;
      for (const std::string& workload : kSixteen) {
        const std::vector<std::string> command = {workload, "--serve", "--size", "small"};
        mine += start_ours(options_, command, "").seconds_of_cold_start();
        others += start_pocl(options_, command, "").seconds_of_cold_start();
      }
      ours.push_back(mine);
      theirs.push_back(others);
    }
    Row row = ratio_row("cold_compile", kColdBound, ours, theirs);
    row.goal = Goal::at_most;
    row.details = {{"seconds", median(ours)}, {"pocl_seconds", median(theirs)}};
    return row;
  }

  const CpuOptions& options_;
  const std::function<void(const Row&)>& done_;
  const Goals goals_;
  Pool pool_;
  TemporaryFolder cache_;
  double peak_ = 0;
  std::vector<double> ratios_;  // of the sixteen
};

}  // namespace

std::vector<std::string> row_names() {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& workload) {
    names.push_back(workload);
    if (is_one_of(kByHand, workload)) names.push_back(workload + "/by_hand");
    if (is_one_of(kByLoops, workload)) names.push_back(workload + "/by_loops");
  };
  std::for_each(kSixteen.begin(), kSixteen.end(), add);
  names.push_back("geometric_mean");
  std::for_each(kDivergent.begin(), kDivergent.end(), add);
  std::for_each(kDoubles.begin(), kDoubles.end(), add);
  for (const char* name : {"empty_kernel", "empty_group", "half_the_groups", "cold_compile"}) names.push_back(name);
  return names;
}

void measure_rows(const CpuOptions& options, const std::function<void(const Row&)>& done) {
  Table(options, done).measure();
}

}  // namespace bench
