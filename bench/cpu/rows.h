// SPDX-License-Identifier: Apache-2.0
// The table: which rows there are, and how each is measured.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "bench/cpu/goals.h"
#include "bench/cpu/report.h"

namespace bench {

struct CpuOptions {
  int repetitions = 7;
  std::size_t threads = 0;     // of baselines; 0: one for each core
  std::set<std::string> rows;  // empty: all
  std::string folder;          // of the workloads and this program
  std::string launcher;        // skmd-run; empty: PoCL takes the place of the driver, to try this program out
  std::string size;            // of all workloads; empty: what suits each
  Goals goals;
};

/// All rows in the table's order.
std::vector<std::string> row_names();

/// Measures the rows of `options`, and gives each to `done` when it is known. A row that cannot be measured has an
/// error; the others go on.
void measure_rows(const CpuOptions& options, const std::function<void(const Row&)>& done);

}  // namespace bench
