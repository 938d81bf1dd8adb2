// SPDX-License-Identifier: Apache-2.0
// What the times of two sides say about a goal. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/cpu/report.h"

namespace bench {

/// Seconds of whole processes of one program, taken in turns.
struct ProgramTimes {
  std::string program, size;
  Times ours, theirs;
};

/// Each is a bound on ours against theirs; one that is not set is always kept.
struct Bars {
  std::optional<double> mean;  // of the programs' ratios, geometric
  std::optional<double> each;  // of each program: ours <= each · theirs + seconds
  double seconds = 0;
};

struct StartRow {
  std::string name, description;
  Bars bars;
  std::vector<ProgramTimes> programs;
  std::string error;  // why a program has no times; the row is not met then
};

/// Of the programs' ratios of medians.
double geometric_mean(const std::vector<ProgramTimes>& programs);

bool keeps(const ProgramTimes& times, const Bars& bars);

/// Nothing for a row without a bound, which only informs.
std::optional<bool> is_met(const StartRow& row);

/// {"row","about","goal","figure","met","programs"}, and "error" if there is one. `figure` is the geometric mean.
nlohmann::ordered_json to_json(const StartRow& row);

/// Lines for people: one for the row and one for each program.
std::string to_text(const StartRow& row);

}  // namespace bench
