// SPDX-License-Identifier: Apache-2.0
// skmd-profile: builds and inspects the profile database.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "profiler/commands/command.h"

namespace {

using namespace skmd::profiler;

struct Entry {
  const char* name;
  MakeCommand make;
};

constexpr std::array kCommands{
    Entry{"run", make_run},       Entry{"calibrate", make_calibrate}, Entry{"show", make_show},
    Entry{"fit", make_fit},       Entry{"evaluate", make_evaluate},   Entry{"predict", make_predict},
    Entry{"export", make_export}, Entry{"import", make_import},       Entry{"merge", make_merge},
    Entry{"prune", make_prune},   Entry{"check", make_check},
};

/// A word that is no command gets the nearest one; CLI11 would only say that a command is missing.
bool names_unknown_command(int argc, char** argv) {
  std::vector<std::string> names;
  for (const Entry& entry : kCommands) names.emplace_back(entry.name);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--db") ++i;
    if (word.starts_with("-")) continue;
    if (std::find(names.begin(), names.end(), word) != names.end()) return false;
    std::fprintf(stderr, "skmd-profile: %s\n", unknown("command", word, names).c_str());
    return true;
  }
  return false;
}

int run(int argc, char** argv) {
  CLI::App app("Builds and inspects the database of measured times.", "skmd-profile");
  ProfileOptions options;
  app.add_option("--db", options.database,
                 "the database; default: SKMD_PROFILE_DB, else profile.db in the cache folder");
  app.add_flag("--json", options.as_json, "answers as one JSON document");
  app.add_flag("--no-progress", options.no_progress, "no progress bar, which only terminals get anyway");
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, std::function<int()>>> commands;
  for (const Entry& entry : kCommands) {
    CLI::App* command = app.add_subcommand(entry.name);
    commands.emplace_back(command, entry.make(*command, options));
  }
  if (names_unknown_command(argc, argv)) return kBadUsage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadUsage;
  }
  for (const auto& [command, go] : commands)
    if (command->parsed()) return go();
  return kBadUsage;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "skmd-profile: %s\n", error.what());
    return kNotMet;
  }
}
