// SPDX-License-Identifier: Apache-2.0
#include "profiler/control/ctl_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "profiler/nearest.h"

namespace skmd::profiler {

namespace {

EarlyEnd refused(const std::string& reason) {
  return {kCtlBadUsage, "skmd-ctl: " + reason + "\nTry skmd-ctl --help.\n"};
}

struct Command {
  const char* name;
  const char* arguments;
  std::size_t count;
};
constexpr Command kCommands[] = {
    {"status", "", 0},  {"stop", "DEVICE", 1}, {"start", "DEVICE", 1},   {"move", "KERNEL DEVICE", 2},
    {"suspend", "", 0}, {"resume", "", 0},     {"checkpoint", "FILE", 1}};

constexpr const char* kFooter =
    "Commands:\n"
    "  status              devices, what they hold, and kernels that are running\n"
    "  stop DEVICE         takes the device away: it has no launch and no sole copy of anything any more\n"
    "  start DEVICE        gives it back\n"
    "  move KERNEL DEVICE  continue the kernel's running launches on this device, once\n"
    "  suspend             brings everything to host memory; launches wait\n"
    "  resume              launches go on\n"
    "  checkpoint FILE     writes a running launch to a file, from which skmd-resume completes it; it goes on, too\n"
    "DEVICE is a number, or a name or selector as status shows them, or a part that no other device has.\n"
    "The process has to run with SKMD_CONTROL=1. Status 0: done; 1: not there, or not possible; 2: wrong usage.";

std::optional<std::string> wrong(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    names.emplace_back(command.name);
    if (words.front() != command.name) continue;
    if (words.size() == command.count + 1) return std::nullopt;
    return command.count == 0 ? words.front() + " takes no more words"
                              : words.front() + " takes " + command.arguments + " behind it";
  }
  return unknown("command", words.front(), names);
}

}  // namespace

std::optional<EarlyEnd> parse_ctl_options(const std::vector<std::string>& arguments, CtlOptions& options) {
  CLI::App app("Takes devices from a running program that uses SKMD, and gives them back.", "skmd-ctl");
  app.footer(kFooter);
  app.add_option("PID", options.process, "the process")->required();
  app.add_option("COMMAND", options.words, "status, stop, start, move, suspend, resume or checkpoint, with its names")
      ->required();
  app.add_option("--folder", options.folder, "of the process's socket; by default as SKMD_CONTROL says, else as for 1");
  app.add_flag("--json", options.as_json, "the answer as one line of JSON");
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 takes a vector
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return EarlyEnd{kCtlDone, app.help()};
  } catch (const CLI::ParseError& error) {
    return refused(error.what());
  }
  if (options.process <= 0) return refused("PID " + std::to_string(options.process) + ": expected a number above 0");
  if (const auto reason = wrong(options.words)) return refused(*reason);
  for (const std::string& word : options.words)
    if (word.empty() || word.find_first_of("\t\n") != std::string::npos)
      return refused("a name is not empty and has no tabs and no line ends");
  return std::nullopt;
}

}  // namespace skmd::profiler
