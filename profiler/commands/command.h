// SPDX-License-Identifier: Apache-2.0
// What the commands of skmd-profile share. Each is one file, and one entry in profile.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "profiler/database/database.h"

namespace skmd::profiler {

inline constexpr int kDone = 0, kNotMet = 1, kBadUsage = 2;

struct ProfileOptions {
  std::string database;  // of --db; "": as SKMD_PROFILE_DB or the default says
  bool as_json = false;
  bool no_progress = false;  // for the `wanted` of progress.h
};

/// Adds its options to the app; what it returns runs the command, and gives the exit status.
using MakeCommand = std::function<int()> (*)(CLI::App& app, const ProfileOptions& options);

std::function<int()> make_run(CLI::App& app, const ProfileOptions& options);
std::function<int()> make_show(CLI::App& app, const ProfileOptions& options);
std::function<int()> make_fit(CLI::App& app, const ProfileOptions& options);
std::function<int()> make_evaluate(CLI::App& app, const ProfileOptions& options);
std::function<int()> make_predict(CLI::App& app, const ProfileOptions& options);
std::function<int()> make_calibrate(CLI::App& app, const ProfileOptions& options);
std::function<int()> make_export(CLI::App& app, const ProfileOptions& options);
std::function<int()> make_import(CLI::App& app, const ProfileOptions& options);
std::function<int()> make_merge(CLI::App& app, const ProfileOptions& options);
std::function<int()> make_prune(CLI::App& app, const ProfileOptions& options);
std::function<int()> make_check(CLI::App& app, const ProfileOptions& options);

/// --db, else SKMD_PROFILE_DB without its "read:", else profile.db in the cache folder. An error if it is "off" or
/// nowhere.
domain::Result<std::filesystem::path> database_path(const ProfileOptions& options);

/// Tells what the user should know on standard error. Writing modes become read_only with SKMD_PROFILE_DB=read:FILE.
domain::Result<ProfileDatabase> open_database(const ProfileOptions& options, ProfileDatabase::Mode mode);

/// Says the reason on standard error and, with --json, as {"version":1,"error"} on standard output; returns kNotMet.
int fail(const ProfileOptions& options, const std::string& reason);

void print(const nlohmann::json& document);

/// The name most like `name`; "" if none is.
std::string nearest(const std::string& name, const std::vector<std::string>& names);

/// `what "name"` is not known, and the nearest that is.
std::string unknown(const std::string& what, const std::string& name, const std::vector<std::string>& names);

/// "a,b" in parts; empty ones are left out.
std::vector<std::string> parts_of(const std::string& list);

}  // namespace skmd::profiler
