// SPDX-License-Identifier: Apache-2.0
// How long whole processes take on SKMD without a GPU, against PoCL. docs/results/start.md tells what the rows are.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "bench/start/rows.h"
#include "bench/support/opencl.h"
#include "bench/support/options.h"

namespace bench {
namespace {

struct Arguments {
  StartOptions options;
  std::vector<std::string> rows, programs;
  bool json = false, list = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  StartOptions& options = arguments.options;
  app.add_flag("--json", arguments.json, "One JSON object to a line and row");
  app.add_option("--rows", arguments.rows, "Only these rows, with commas between")->delimiter(',');
  app.add_option("--programs", arguments.programs, "Only these programs, with commas between")->delimiter(',');
  app.add_flag("--list", arguments.list, "Only the rows' names");
  app.add_option("--repetitions", options.repetitions, "Turns of each side with warm caches; the median counts")
      ->check(CLI::Range(1, 1000));
  app.add_option("--cold-repetitions", options.cold_repetitions, "Turns of each side with empty caches")
      ->check(CLI::Range(1, 1000));
  app.add_option("--tiny", options.tiny_programs, "How many programs are tiny builds")->check(CLI::Range(1, 1000000));
  app.add_option("--tiny-repetitions", options.tiny_repetitions, "Turns of each side of those")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--quick", options.quick, "Small sizes only");
  app.add_flag("--only-pocl", options.only_pocl, "PoCL in SKMD's place, to try this program out");
}

void check_rows(const std::set<std::string>& wanted) {
  const std::vector<std::string> names = start_row_names();
  for (const std::string& row : wanted) {
    if (std::find(names.begin(), names.end(), row) == names.end()) throw BadInput("--rows: there is no row " + row);
  }
}

int run(Arguments& arguments) {
  if (arguments.list) {
    for (const std::string& name : start_row_names()) std::cout << name << '\n';
    return 0;
  }
  StartOptions& options = arguments.options;
  options.rows = {arguments.rows.begin(), arguments.rows.end()};
  options.programs = {arguments.programs.begin(), arguments.programs.end()};
  check_rows(options.rows);
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  options.folder = program.parent_path();
  options.library = program.parent_path().parent_path() / "lib" / "libskmd.so";
  bool all_met = true;
  measure_start(options, [&](const StartRow& row) {
    all_met = all_met && is_met(row).value_or(row.error.empty());
    std::cout << (arguments.json ? to_json(row).dump() : to_text(row)) << std::endl;
  });
  return all_met ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app("Whole processes on SKMD without a GPU against PoCL; 0 only if every goal is met", "start");
  bench::Arguments arguments;
  bench::declare(app, arguments);
  return bench::parse_and(app, argc, argv, [&] { return bench::run(arguments); });
}
