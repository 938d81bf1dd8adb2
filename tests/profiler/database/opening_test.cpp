// SPDX-License-Identifier: Apache-2.0
// What others did to a database before it is opened, and openings at the same time.
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "profiler/database/database.h"
#include "profiler/database/folder_lock.h"
#include "tests/profiler/database/fixture.h"

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

class Opening : public test::DatabaseFile {};

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
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const bool kept = entry.path().filename().string().starts_with("profile.db.damaged-");
      EXPECT_EQ(entry.file_size() == 18, kept) << entry.path() << ": what is kept was written to";
    }
  }
}

TEST_F(Opening, ADamagedFileKeepsItsNameWhileAnotherProcessIsOpeningIt) {
  write("no database at all");
  const DatabaseLimits impatient{std::uint64_t{64} << 20, 256, 30};
  {
    const FolderLock opening(file_, FolderLock::Kind::shared, 0);
    ASSERT_TRUE(opening.held());
    EXPECT_FALSE(ProfileDatabase::open(file_, Mode::create, impatient));
    EXPECT_EQ(damaged_files(), 0);
  }
  EXPECT_TRUE(ProfileDatabase::open(file_, Mode::create, impatient));
  EXPECT_EQ(damaged_files(), 1);
}

/// SQLite looks for a journal when it first reads: a file that is renamed before that would lose its journal.
TEST_F(Opening, AFileIsNotRenamedBeforeItsOpenerHasRead) {
  ASSERT_TRUE(open().add(std::vector{sample(1)}));
  static std::filesystem::path file;
  static int held = 0, asked = 0;
  file = file_;
  sqlite3_vfs* const real = sqlite3_vfs_find(nullptr);
  sqlite3_vfs watching = *real;
  watching.zName = "watching";
  // Looking for the journal, of which the first time is before the first page is read.
  static int (*const access)(sqlite3_vfs*, const char*, int, int*) = real->xAccess;
  watching.xAccess = [](sqlite3_vfs* vfs, const char* name, int flags, int* answer) {
    ++asked;
    held += FolderLock(file, FolderLock::Kind::exclusive, 0).held() ? 0 : 1;
    return access(vfs, name, flags, answer);
  };
  ASSERT_EQ(sqlite3_vfs_register(&watching, 1), SQLITE_OK);
  const auto database = ProfileDatabase::open(file_, Mode::existing);
  sqlite3_vfs_unregister(&watching);
  sqlite3_vfs_register(real, 1);
  ASSERT_TRUE(database);
  EXPECT_GT(held, 0) << asked;
  EXPECT_TRUE(FolderLock(file_, FolderLock::Kind::exclusive, 0).held());
}

/// As a killed writer leaves it: pages in the file that its journal takes back.
class HalfWritten : public Opening {
 protected:
  void SetUp() override {
    ASSERT_TRUE(open().add(std::vector{sample(1)}));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      sqlite3* handle = nullptr;
      sqlite3_open(file_.c_str(), &handle);
      // Too little memory for the changed pages, so that they are in the file before the commit.
      sqlite3_exec(handle, "PRAGMA cache_size=1; BEGIN; UPDATE samples SET line=''", nullptr, nullptr, nullptr);
      sqlite3_exec(handle,
                   "CREATE TABLE filler AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n LIMIT 999) "
                   "SELECT x, hex(randomblob(99)) FROM n",
                   nullptr, nullptr, nullptr);
      kill(getpid(), SIGKILL);
    }
    waitpid(child, nullptr, 0);
    ASSERT_TRUE(fs::exists(file_.string() + "-journal"));
  }
};

TEST_F(HalfWritten, IsTakenBackByTheNextWriter) {
  auto database = open();
  EXPECT_EQ(database.notice(), "");
  EXPECT_TRUE(database.check()->empty());
  EXPECT_EQ(database.samples()->size(), 1u);
}

TEST_F(HalfWritten, ReadersSayWhatToDo) {
  const std::string before = content();
  const auto database = ProfileDatabase::open(file_, Mode::read_only);
  ASSERT_FALSE(database);
  EXPECT_NE(database.error().reason.find("check --repair"), std::string::npos) << database.error().reason;
  EXPECT_NE(database.error().reason.find(file_.string()), std::string::npos) << database.error().reason;
  EXPECT_EQ(content(), before);
  ASSERT_TRUE(ProfileDatabase::open(file_, Mode::existing));
  EXPECT_EQ(open(Mode::read_only).samples()->size(), 1u);
}

}  // namespace
}  // namespace skmd::profiler
