// SPDX-License-Identifier: Apache-2.0
// What others did to a database before it is opened, and openings at the same time.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "profiler/database/database.h"
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
  }
}

}  // namespace
}  // namespace skmd::profiler
