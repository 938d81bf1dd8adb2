// SPDX-License-Identifier: Apache-2.0
// SKMD's CPU device against PoCL, against vectors written by hand and against plain loops. docs/results/cpu.md tells
// what the rows are.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "bench/cpu/probes.h"
#include "bench/cpu/rows.h"
#include "bench/support/opencl.h"
#include "bench/support/options.h"

namespace bench {
namespace {

struct Arguments {
  CpuOptions options;
  std::vector<std::string> rows;
  std::string device;
  bool json = false, list = false, probes = false, only_pocl = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  app.add_flag("--json", arguments.json, "One JSON object to a line and row");
  app.add_option("--rows", arguments.rows, "Only these rows, with commas between")->delimiter(',');
  app.add_flag("--list", arguments.list, "Only the rows' names");
  app.add_option("--repetitions", arguments.options.repetitions, "Turns of each side; the median counts")
      ->check(CLI::Range(1, 1000));
  app.add_option("--threads", arguments.options.threads, "Of the baselines; default: one for each core")
      ->check(CLI::Range(1, 1024));
  app.add_option("--size", arguments.options.size, "Of all workloads; default: what suits each")
      ->check(CLI::IsMember({"small", "profile1", "profile2"}));
  app.add_flag("--only-pocl", arguments.only_pocl, "PoCL in SKMD's place, to try this program out");
  app.add_flag("--probes", arguments.probes,
               "Answer requests for small measurements; what this program starts itself with");
  app.add_option("--device", arguments.device, "With --probes: as of the workloads");
}

void check_rows(const std::set<std::string>& wanted) {
  const std::vector<std::string> names = row_names();
  for (const std::string& row : wanted) {
    if (std::find(names.begin(), names.end(), row) == names.end()) throw BadInput("--rows: there is no row " + row);
  }
}

int print_rows(Arguments& arguments) {
  CpuOptions& options = arguments.options;
  options.rows = {arguments.rows.begin(), arguments.rows.end()};
  check_rows(options.rows);
  const char* const cap = std::getenv("SKMD_TEST_ISA");
  const Processor processor = this_processor();
  options.goals = goals_of(processor, used_of(processor, cap != nullptr ? cap : ""));
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  options.folder = program.parent_path();
  if (!arguments.only_pocl) options.launcher = program.parent_path().parent_path() / "bin" / "skmd-run";
  bool all_met = true;
  measure_rows(options, [&](const Row& row) {
    all_met = all_met && row.met();
    std::cout << (arguments.json ? to_json(row).dump() : to_text(row)) << std::endl;
  });
  return all_met ? 0 : 1;
}

int run(Arguments& arguments) {
  if (arguments.probes) {
    serve_probes(arguments.device);
    return 0;
  }
  if (!arguments.list) return print_rows(arguments);
  for (const std::string& name : row_names()) std::cout << name << '\n';
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app("SKMD's CPU device against PoCL, vectors by hand and plain loops; 0 only if every row is met", "cpu");
  bench::Arguments arguments;
  bench::declare(app, arguments);
  return bench::parse_and(app, argc, argv, [&] { return bench::run(arguments); });
}
