// SPDX-License-Identifier: Apache-2.0
// Whole processes, from their start to their end.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bench {

struct Ended {
  double seconds = 0;  // from before it is started until it has ended
  int status = 0;      // exit status, or 128 + the signal that ended it
  std::string output;  // on its standard output
  std::string errors;  // on its standard error
};

/// Runs `command` (a path and arguments) with `changes` on top of this program's environment, and waits for its end.
/// What takes longer than `limit` seconds is killed. Throws std::runtime_error if it cannot be started.
Ended run_to_end(const std::vector<std::string>& command, const std::map<std::string, std::string>& changes,
                 double limit);

/// The line of JSON that a workload has printed. Throws std::runtime_error, with what it said instead, unless it ended
/// with 0 and says "ok".
nlohmann::json answer_of(const std::vector<std::string>& command, const Ended& ended);

/// From now on this program and what it starts have two of its processors, or the one that there is. Returns how many.
int keep_to_two_processors();

}  // namespace bench
