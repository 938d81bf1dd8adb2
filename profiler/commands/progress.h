// SPDX-License-Identifier: Apache-2.0
// A progress line of a long command on standard error, with the time left. On terminals only.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

namespace skmd::profiler {

/// Seconds left when `part` (0 to 1) of the work took `elapsed` seconds; empty while that is too little for an
/// estimate. Pure.
std::optional<double> seconds_left(double part, double elapsed);

/// "[#####.....]  50 %, 1 min 05 s left, WHAT", cut to `columns` letters. Pure; `part` is clamped to 0..1.
std::string progress_line(double part, std::optional<double> left, const std::string& what, std::size_t columns);

/// How long planned work still takes, by how long what is done of it took. Not thread-safe; no clock of its own.
class PlannedWork {
 public:
  /// `planned` and `done`: seconds as the plan has them, in all so far; `last`: of what comes behind it, 0 where that
  /// is not known; `now`: seconds, never less than before. To be called again and again. Empty: it is not known.
  std::optional<double> left(double planned, double done, double last, double now);

 private:
  /// Seconds by the clock for one of the plan, so many of which are taken to be right.
  [[nodiscard]] double pace(double unsure) const;

  std::optional<double> since_;  // when `done` grew last, or work began; empty between two pieces of work
  std::optional<double> last_;   // when `last` began
  double done_ = 0.0;
  double took_ = 0.0, took_of_plan_ = 0.0;  // of what was done, by the clock and by the plan
};

/// Not thread-safe. The destructor erases the line.
class Progress {
 public:
  static constexpr double kNotKnown = std::numeric_limits<double>::infinity();
  /// Shows nothing if not `wanted` (--no-progress) or standard error is no terminal.
  explicit Progress(bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `part` of all work is done, and `what` comes next. Without `left`, the time left follows from the time that `part`
  /// took; kNotKnown: none is shown. Draws at most ten times a second, so that it may be called as often as it is
  /// known.
  void show(double part, const std::string& what, std::optional<double> left = std::nullopt);

 private:
  using Clock = std::chrono::steady_clock;
  const bool shown_;
  const Clock::time_point begin_ = Clock::now();
  std::optional<Clock::time_point> drawn_;
};

}  // namespace skmd::profiler
