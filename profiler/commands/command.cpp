// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/command.h"

#include <cstdio>

#include "profiler/database/take_in.h"
#include "profiler/profile_file.h"

namespace skmd::profiler {
namespace {

using domain::Error;
using domain::Result;

}  // namespace

Result<std::filesystem::path> database_path(const ProfileOptions& options) {
  if (!options.database.empty()) return std::filesystem::path(options.database);
  const auto file = profile_file();
  if (!file) return Error{-1, file.error().reason + ": name a database with --db FILE"};
  return file->path;
}

Result<ProfileDatabase> open_database(const ProfileOptions& options, ProfileDatabase::Mode mode) {
  const auto path = database_path(options);
  if (!path) return path.error();
  if (options.database.empty() && profile_file()->read_only) {
    if (mode != ProfileDatabase::Mode::read_only)
      return Error{
          -1, path->string() + " is only read (SKMD_PROFILE_DB=read:): name a database to be changed with --db FILE"};
    return ProfileDatabase::open(*path, mode);
  }
  // What processes measured since.
  if (has_journals(*path)) {
    const auto taken = take_in_journals(*path);
    if (taken && !taken->notice.empty()) std::fprintf(stderr, "skmd-profile: %s\n", taken->notice.c_str());
    if (!taken && mode != ProfileDatabase::Mode::read_only) return taken.error();
    if (!taken)
      std::fprintf(stderr, "skmd-profile: what processes measured since is not taken in: %s\n",
                   taken.error().reason.c_str());
  }
  std::error_code error;
  if (mode != ProfileDatabase::Mode::create && !std::filesystem::exists(*path, error))
    return Error{
        -1,
        path->string() +
            " is not there: name a database with --db FILE, or make one with SKMD_PROFILE_DB or skmd-profile import"};
  auto database = ProfileDatabase::open(*path, mode);
  if (database && !database->notice().empty()) std::fprintf(stderr, "skmd-profile: %s\n", database->notice().c_str());
  return database;
}

int fail(const ProfileOptions& options, const std::string& reason) {
  if (options.as_json) print({{"version", 1}, {"error", reason}});
  std::fprintf(stderr, "skmd-profile: %s\n", reason.c_str());
  return kNotMet;
}

void print(const nlohmann::json& document) {
  std::printf("%s\n", document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char letter : list) letter == ',' ? void(parts.emplace_back()) : void(parts.back() += letter);
  std::erase(parts, "");
  return parts;
}

}  // namespace skmd::profiler
