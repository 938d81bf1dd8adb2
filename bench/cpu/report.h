// SPDX-License-Identifier: Apache-2.0
// Figures, and whether they are as good as they have to be.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bench {

/// One side of a comparison: all contestants do the same work, in turns.
struct Contestant {
  std::string name;
  std::function<double()> once;  // seconds
};

using Times = std::vector<double>;

/// Turn by turn, `repetitions` times after one time that does not count; one list of seconds for each.
std::vector<Times> take_turns(const std::vector<Contestant>& contestants, int repetitions);

/// Of the middle one, or of the two in the middle; `values` must not be empty.
double median(std::vector<double> values);

enum class Goal { at_least, at_most };

/// One line of the table.
struct Row {
  std::string name;
  std::string unit;  // of goal and figure: "x" for a ratio
  Goal goal = Goal::at_least;
  double bound = 0;
  double figure = 0;
  double low = 0, high = 0;  // over the repetitions
  nlohmann::ordered_json details;
  std::string error;  // why there is no figure

  bool met() const;
};

/// How many times as long `base` takes as `ours`: medians; the spread is that of the single turns.
Row ratio_row(const std::string& name, double bound, const Times& base, const Times& ours);

nlohmann::ordered_json to_json(const Row& row);

/// A line for people, about 100 columns wide.
std::string to_text(const Row& row);

}  // namespace bench
