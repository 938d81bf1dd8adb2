// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "profiler/commands/commands_constants.h"

namespace skmd::profiler {
namespace {

constexpr const char* kClear = "\r\x1b[K";

std::string duration(double seconds) {
  const long whole = std::lround(std::ceil(std::clamp(seconds, 0.0, 359999.0)));
  if (whole < 60) return std::to_string(whole) + " s";
  char text[32];
  if (whole < 3600)
    std::snprintf(text, sizeof text, "%ld min %02ld s", whole / 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
  return text;
}

std::size_t columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : tuning::kColumns;
}

}  // namespace

std::optional<double> seconds_left(double part, double elapsed) {
  if (!(part >= tuning::kLeastPart) || !(elapsed >= 0.0)) return std::nullopt;
  return elapsed * (1.0 - std::min(part, 1.0)) / std::min(part, 1.0);
}

std::string progress_line(double part, std::optional<double> left, const std::string& what, std::size_t columns) {
  part = std::isfinite(part) ? std::clamp(part, 0.0, 1.0) : 0.0;
  const auto full = static_cast<std::size_t>(part * tuning::kBar);
  char percent[16];
  std::snprintf(percent, sizeof percent, "%3d %%", static_cast<int>(part * 100));
  std::string line = "[" + std::string(full, '#') + std::string(tuning::kBar - full, '.') + "] " + percent;
  if (left && std::isfinite(*left)) line += ", " + duration(*left) + " left";
  if (!what.empty()) line += ", " + what;
  return line.substr(0, columns);
}

std::optional<double> PlannedWork::left(double planned, double done, double last, double now) {
  const double unsure = tuning::kUnsurePart * planned;
  if (!(done < planned)) {
    if (!last_) last_ = now;
    since_.reset();
    done_ = done;
    const double rest = last * pace(unsure) - (now - *last_);
    return rest > 0.0 ? std::optional(rest) : std::nullopt;
  }
  last_.reset();
  if (since_ && done > done_) {
    took_ += now - *since_;
    took_of_plan_ += done - done_;
  }
  if (!since_ || done > done_) {
    since_ = now;
    done_ = done;
  }
  const double rest = (planned - done) * pace(unsure);
  return rest - std::min(now - *since_, tuning::kLongestPiece * rest) + last * pace(unsure);
}

double PlannedWork::pace(double unsure) const {
  const double of_plan = took_of_plan_ + unsure;
  return of_plan > 0.0 ? (took_ + unsure) / of_plan : 1.0;
}

Progress::Progress(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (drawn_) std::fputs(kClear, stderr);
}

void Progress::show(double part, const std::string& what, std::optional<double> left) {
  if (!shown_) return;
  const auto now = Clock::now();
  if (drawn_ && now - *drawn_ < tuning::kPause) return;
  drawn_ = now;
  if (!left) left = seconds_left(part, std::chrono::duration<double>(now - begin_).count());
  // The last column stays free: some terminals begin a new line behind it.
  std::fprintf(stderr, "%s%s", kClear, progress_line(part, left, what, columns() - 1).c_str());
  std::fflush(stderr);
}

}  // namespace skmd::profiler
