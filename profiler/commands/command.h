// SPDX-License-Identifier: Apache-2.0
// The interface of the commands of skmd-profile. Each is one file, and one entry in profile.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "profiler/database/database.h"
#include "profiler/nearest.h"

namespace skmd::profiler {

/// Exit statuses.
inline constexpr int kDone = 0, kNotMet = 1, kBadUsage = 2;

struct ProfileOptions {
  std::string database;  // of --db; "": as SKMD_PROFILE_DB or the default says
  bool as_json = false;
  bool no_progress = false;  // for the `wanted` of progress.h
};

/// Adds the command's options to the app. The returned function runs the command and returns the exit status.
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

/// Prints the database's notice, if it has one, on standard error. Writing modes become read_only with
/// SKMD_PROFILE_DB=read:FILE.
domain::Result<ProfileDatabase> open_database(const ProfileOptions& options, ProfileDatabase::Mode mode);

/// Prints the reason on standard error and, with --json, as {"version":1,"error"} on standard output; returns kNotMet.
int fail(const ProfileOptions& options, const std::string& reason);

void print(const nlohmann::json& document);

/// "a,b" in parts; empty ones are left out.
std::vector<std::string> parts_of(const std::string& list);

}  // namespace skmd::profiler
