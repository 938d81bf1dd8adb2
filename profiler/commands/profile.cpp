// SPDX-License-Identifier: Apache-2.0
// skmd-profile: builds and inspects the profile database.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string_view>
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
  names.reserve(kCommands.size());
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

/// The first word that looks like an option and is none of the program's and of the command's; "": there is none.
std::string unknown_option(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> names;
  const auto add_names = [&names](const CLI::App& of) {
    for (const CLI::Option* option : of.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  };
  add_names(app);
  for (const CLI::App* command : app.get_subcommands()) add_names(*command);  // the one that was parsed
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string_view(argv[i]).find('='));
    if (word.starts_with("--") && std::find(names.begin(), names.end(), word) == names.end())
      return unknown("option", word, names);
  }
  return "";
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
    const bool help = error.get_exit_code() == 0;
    // CLI11 names it and nothing else, or says first that an option is missing whose name is misspelt.
    const std::string wrong = help ? "" : unknown_option(app, argc, argv);
    if (wrong.empty()) return app.exit(error) == 0 ? kDone : kBadUsage;
    std::fprintf(stderr, "skmd-profile: %s\n", wrong.c_str());
    return kBadUsage;
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
