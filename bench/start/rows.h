// SPDX-License-Identifier: Apache-2.0
// What is measured by whole processes on SKMD's side and on PoCL's, in turns.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "bench/start/judge.h"

namespace bench {

struct StartOptions {
  int repetitions = 7;
  int cold_repetitions = 3;  // where both sides compile everything anew in every turn
  std::size_t tiny_programs = 1000;
  int tiny_repetitions = 1;        // minutes each
  bool quick = false;              // small sizes only
  bool only_pocl = false;          // PoCL in SKMD's place, to try this program out
  std::set<std::string> rows;      // empty: all
  std::set<std::string> programs;  // empty: all
  std::string folder;              // of the programs
  std::string library;             // SKMD's driver
};

std::vector<std::string> start_row_names();

/// Measures the rows of `options`, and gives each to `done` when it is known. Uses two processors.
void measure_start(const StartOptions& options, const std::function<void(const StartRow&)>& done);

}  // namespace bench
