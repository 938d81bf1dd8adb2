// SPDX-License-Identifier: Apache-2.0
// What launches that give way to others cost and gain. bench/README.md tells what the figures are.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include "bench/launches/preempt_file.h"
#include "bench/launches/preempt_rebalance.h"
#include "bench/launches/preempt_rows.h"
#include "bench/support/options.h"

namespace bench {
namespace {

struct Arguments {
  LatencyOptions latency;
  OverheadOptions overhead;
  FileOptions file;
  RebalanceOptions rebalance;
  bool json = false;
  std::string selector;  // of `beside`, `held` and `divided`
};

PreemptPlace place() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  return {program, program.parent_path(), program.parent_path().parent_path() / "lib" / "libskmd.so"};
}

void add_size(CLI::App& command, std::string& size) {
  command.add_option("--size", size, "Of the workloads")
      ->check(CLI::IsMember({"small", "profile1", "profile2", "paper"}));
}

void add_long(CLI::App& command, LatencyOptions& options) {
  command.add_option("--long-seconds", options.long_seconds, "How long the launch beside small ones takes")
      ->check(CLI::Range(0.001, 600.0));
  command.add_option("--repetitions", options.repetitions, "Small launches beside a long one; the median counts")
      ->check(CLI::Range(1, 1000));
}

CLI::App* add_latency(CLI::App& app, Arguments& arguments) {
  CLI::App* command = app.add_subcommand("latency",
                                         "From a stop's request until the device is free, and a small launch "
                                         "beside a long one");
  command->add_flag("--json", arguments.json, "One line of JSON");
  add_size(*command, arguments.latency.size);
  command->add_option("--repeat", arguments.latency.repeat, "How often the launch that is stopped runs")
      ->check(CLI::Range(1, 100000));
  command->add_option("--stop-after-us", arguments.latency.stop_after_us, "When it is asked to stop, on average")
      ->check(CLI::Range(1, 1000000));
  add_long(*command, arguments.latency);
  return command;
}

CLI::App* add_overhead(CLI::App& app, Arguments& arguments) {
  CLI::App* command = app.add_subcommand("overhead", "Workloads that may give way over the same that may not");
  command->add_flag("--json", arguments.json, "One line of JSON");
  add_size(*command, arguments.overhead.size);
  command->add_option("--preempt-ms", arguments.overhead.preempt_ms, "SKMD_PREEMPT_MS of both")
      ->check(CLI::Range(0.1, 86400000.0));
  command->add_option("--repetitions", arguments.overhead.repetitions, "Turns of each side; the median counts")
      ->check(CLI::Range(1, 1000));
  command->add_option("--programs", arguments.overhead.programs, "Only these workloads, with commas between")
      ->delimiter(',');
  return command;
}

void add_held(CLI::App& command, FileOptions& options) {
  command.add_option("--long-seconds", options.long_seconds, "How long the launch takes")
      ->check(CLI::Range(0.1, 600.0));
  command.add_option("--mib", options.mib, "Of the buffer that it reads")->check(CLI::Range(1, 1 << 16));
}

CLI::App* add_file(CLI::App& app, Arguments& arguments) {
  CLI::App* command = app.add_subcommand("file",
                                         "A launch that is written to a file while it runs and completed by another "
                                         "process");
  command->add_flag("--json", arguments.json, "One line of JSON");
  command->add_option("--cut-off", arguments.file.cut_off, "How many files that were cut off are tried")
      ->check(CLI::Range(0, 100000));
  add_held(*command, arguments.file);
  return command;
}

CLI::App* add_rebalance(CLI::App& app, Arguments& arguments) {
  CLI::App* command =
      app.add_subcommand("rebalance",
                         "A launch of which a device gets as much as if it were ten times as fast, over "
                         "the best plan");
  command->add_flag("--json", arguments.json, "One line of JSON");
  command->add_option("--long-seconds", arguments.rebalance.long_seconds, "What the launch takes on one device")
      ->check(CLI::Range(0.05, 600.0));
  command->add_option("--turns", arguments.rebalance.turns, "Launches of each side; the median counts")
      ->check(CLI::Range(1, 1000));
  command->add_option("--times", arguments.rebalance.times, "How much faster the device is thought to be than it is")
      ->check(CLI::Range(1.0, 1000.0));
  return command;
}

/// `json`: on one line.
int print(const nlohmann::ordered_json& answer, bool json) {
  std::cout << answer.dump(json ? -1 : 2) << std::endl;
  return 0;
}

int beside(const Arguments& arguments) {
  const auto times =
      small_beside_long(arguments.selector, arguments.latency.long_seconds, arguments.latency.repetitions);
  return print({{"us", times}, {"ok", true}}, true);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app("Launches that give way to others, on SKMD's CPU driver", "preempt");
  app.require_subcommand(1);
  bench::Arguments arguments;
  const CLI::App* latency = bench::add_latency(app, arguments);
  const CLI::App* overhead = bench::add_overhead(app, arguments);
  const CLI::App* file = bench::add_file(app, arguments);
  const CLI::App* rebalance = bench::add_rebalance(app, arguments);
  CLI::App* divided = app.add_subcommand("divided", "What `rebalance` starts")->group("");
  divided->add_option("--device", arguments.selector, "As of the workloads");
  CLI::App* held = app.add_subcommand("held", "What `file` starts")->group("");
  held->add_option("--device", arguments.selector, "As of the workloads");
  bench::add_held(*held, arguments.file);
  CLI::App* beside = app.add_subcommand("beside", "What `latency` starts for each of its two settings")->group("");
  beside->add_option("--device", arguments.selector, "As of the workloads");
  bench::add_long(*beside, arguments.latency);
  return bench::parse_and(app, argc, argv, [&] {
    if (latency->parsed()) return bench::print(measure_latency(bench::place(), arguments.latency), arguments.json);
    if (overhead->parsed()) return bench::print(measure_overhead(bench::place(), arguments.overhead), arguments.json);
    if (file->parsed()) return bench::print(measure_file(bench::place(), arguments.file), arguments.json);
    if (rebalance->parsed())
      return bench::print(bench::measure_rebalance(bench::place(), arguments.rebalance), arguments.json);
    if (divided->parsed()) return bench::divide_launches(arguments.selector);
    if (held->parsed())
      return bench::hold_launches(arguments.selector, arguments.file.long_seconds, arguments.file.mib);
    return bench::beside(arguments);
  });
}
