// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bench {

std::vector<Times> take_turns(const std::vector<Contestant>& contestants, int repetitions) {
  std::vector<Times> times(contestants.size());
  for (int turn = 0; turn <= repetitions; ++turn) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      const double seconds = contestants[i].once();
      if (turn > 0) times[i].push_back(seconds);
    }
  }
  return times;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

bool Row::met() const {
  if (!error.empty() || !std::isfinite(figure)) return false;
  return goal == Goal::at_least ? figure >= bound : figure <= bound;
}

Row ratio_row(const std::string& name, double bound, const Times& base, const Times& ours) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(base.size(), ours.size()); ++i) ratios.push_back(base[i] / ours[i]);
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  Row row{.name = name,
          .unit = "x",
          .bound = bound,
          .figure = median(base) / median(ours),
          .low = *low,
          .high = *high,
          .details = {},
          .error = {}};
  row.details["base_seconds"] = median(base);
  row.details["seconds"] = median(ours);
  return row;
}

nlohmann::ordered_json to_json(const Row& row) {
  nlohmann::ordered_json line;
  line["name"] = row.name;
  line["goal"] = {{row.goal == Goal::at_least ? "at_least" : "at_most", row.bound}};
  line["unit"] = row.unit;
  if (row.error.empty()) {
    line["figure"] = row.figure;
    line["spread"] = {row.low, row.high};
  } else {
    line["figure"] = nullptr;
    line["spread"] = nullptr;
    line["error"] = row.error;
  }
  line["met"] = row.met();
  if (!row.details.is_null()) line["details"] = row.details;
  return line;
}

std::string to_text(const Row& row) {
  char line[200];
  const char* sign = row.goal == Goal::at_least ? ">=" : "<=";
  if (row.error.empty()) {
    std::snprintf(line, sizeof line, "%-32s %10.3g %-3s (%.3g to %.3g)  %s %g  %s", row.name.c_str(), row.figure,
                  row.unit.c_str(), row.low, row.high, sign, row.bound, row.met() ? "" : "MISSED");
    return line;
  }
  std::snprintf(line, sizeof line, "%-32s %10s      %s %g  MISSED: ", row.name.c_str(), "-", sign, row.bound);
  return line + row.error;
}

}  // namespace bench
