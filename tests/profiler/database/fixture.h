// SPDX-License-Identifier: Apache-2.0
// A database file in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "profiler/database/database.h"

namespace skmd::profiler::test {

class DatabaseFile : public testing::Test {
 protected:
  DatabaseFile() {
    // In memory where that can be had: these tests commit thousands of times.
    const bool memory = std::getenv("TMPDIR") == nullptr && ::access("/dev/shm", W_OK) == 0;
    const std::filesystem::path parent = memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string name = (parent / "skmd-profile-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    file_ = folder_ / "profile.db";
  }
  ~DatabaseFile() override { std::filesystem::remove_all(folder_); }

  ProfileDatabase open(ProfileDatabase::Mode mode = ProfileDatabase::Mode::create) {
    auto database = ProfileDatabase::open(file_, mode);
    EXPECT_TRUE(database) << (database ? "" : database.error().reason);
    return std::move(*database);
  }
  /// By SQLite itself.
  void run(const char* sql) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &handle), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }
  [[nodiscard]] std::string content() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes; }
  [[nodiscard]] int damaged_files() const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      count += entry.path().filename().string().starts_with("profile.db.damaged-") ? 1 : 0;
    return count;
  }

  std::filesystem::path folder_, file_;
};

}  // namespace skmd::profiler::test
