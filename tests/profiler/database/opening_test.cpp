// SPDX-License-Identifier: Apache-2.0
// What others did to a database before it is opened, and openings at the same time.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "profiler/database/database.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using Mode = ProfileDatabase::Mode;

domain::ProfileSample sample(std::uint64_t ns) {
  domain::ProfileSample one;
  one.kernel = {"0123", "k", "ready"};
  one.device = {"platform", "device", "1.0", 8};
  one.range.global = {640, 1, 1};
  one.range.local = {64, 1, 1};
  one.span = {3, 9};
  one.kernel_ns = ns;
  return one;
}

class Opening : public testing::Test {
 protected:
  Opening() {
    std::string name = (fs::temp_directory_path() / "skmd-opening-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    file_ = folder_ / "profile.db";
  }
  ~Opening() override { fs::remove_all(folder_); }

  ProfileDatabase open() {
    auto database = ProfileDatabase::open(file_, Mode::create);
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
    for (const auto& entry : fs::directory_iterator(folder_))
      count += entry.path().filename().string().starts_with("profile.db.damaged-") ? 1 : 0;
    return count;
  }

  fs::path folder_, file_;
};

TEST_F(Opening, AWriteAheadLogThatOthersSwitchedOnIsSwitchedOff) {
  ASSERT_TRUE(open().add(std::vector{sample(1)}));
  run("PRAGMA journal_mode=WAL");
  ASSERT_EQ(content()[18], 2);
  auto database = open();
  ASSERT_TRUE(database.add(std::vector{sample(2)}));
  EXPECT_EQ(content()[18], 1);
  EXPECT_EQ(database.samples()->size(), 2u);
}

TEST_F(Opening, OneOfOursWithoutVersionIsDamaged) {
  ASSERT_TRUE(open().add(std::vector{sample(1)}));
  run("PRAGMA user_version=0");
  auto opened = ProfileDatabase::open(file_, Mode::create);
  ASSERT_TRUE(opened) << opened.error().reason;
  ProfileDatabase& database = *opened;
  EXPECT_NE(database.notice().find("version"), std::string::npos) << database.notice();
  EXPECT_EQ(damaged_files(), 1);
  EXPECT_TRUE(database.add(std::vector{sample(1)}));
}

TEST_F(Opening, ProcessesThatFindItDamagedSetItAsideOnce) {
  constexpr int kProcesses = 6;
  for (int round = 0; round < 15; ++round) {
    for (const auto& entry : fs::directory_iterator(folder_)) fs::remove(entry.path());
    write("no database at all");
    int gate[2];
    ASSERT_EQ(pipe(gate), 0);
    std::vector<pid_t> children;
    for (int p = 0; p < kProcesses; ++p) {
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        close(gate[1]);
        char byte = 0;
        if (read(gate[0], &byte, 1) != 0) _exit(101);  // all start at once, when the parent closes its end
        auto database = ProfileDatabase::open(file_, Mode::create);
        if (!database) _exit(100);
        const auto added = database->add(std::vector{sample(static_cast<std::uint64_t>(p + 1))});
        _exit(added && *added == 1 ? 0 : 1);
      }
      children.push_back(child);
    }
    close(gate[0]);
    close(gate[1]);
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(damaged_files(), 1);
    EXPECT_EQ(open().samples()->size(), static_cast<std::size_t>(kProcesses));
  }
}

}  // namespace
}  // namespace skmd::profiler
