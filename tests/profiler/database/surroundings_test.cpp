// SPDX-License-Identifier: Apache-2.0
// Folders and disks that are not as they should be: recording and taking in end with a reason, and nothing else
// happens.
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "profiler/database/journal.h"
#include "profiler/database/set_aside.h"
#include "profiler/database/take_in.h"
#include "tests/profiler/database/fixture.h"
#include "tests/profiler/database/samples.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using Mode = ProfileDatabase::Mode;
using test::sample;

constexpr DatabaseLimits kImpatient{std::uint64_t{64} << 20, 256, 50};

std::vector<domain::ProfileSample> many(std::uint64_t count) {
  std::vector<domain::ProfileSample> made;
  for (std::uint64_t i = 1; i <= count; ++i) made.push_back(sample(1000 + i, "kernel " + std::to_string(i)));
  return made;
}

class Surroundings : public test::DatabaseFile {
 protected:
  /// Runs `check` in a child process, as another user if this process is root's. Returns "" or what was not as
  /// expected.
  static std::string as_another_user(const std::function<std::string()>& check) {
    return in_child([&] {
      constexpr unsigned kNobody = 65534;
      if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0))
        return std::string("rights cannot be given up");
      return check();
    });
  }
  static std::string in_child(const std::function<std::string()>& check) {
    int channel[2];
    if (pipe(channel) != 0) return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
      const std::string problem = check();
      const ssize_t sent = ::write(channel[1], problem.data(), problem.size());
      _exit(sent == static_cast<ssize_t>(problem.size()) ? 0 : 1);
    }
    close(channel[1]);
    std::string problem;
    char byte = 0;
    while (read(channel[0], &byte, 1) == 1) problem += byte;
    close(channel[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return status == 0 ? problem : "the child ended with status " + std::to_string(status);
  }
  /// What opening for writing and taking in say; both have to fail.
  static std::string reasons(const fs::path& file) {
    const auto opened = ProfileDatabase::open(file, Mode::create, kImpatient);
    const auto taken = take_in_journals(file, kImpatient);
    return (opened ? "opened" : opened.error().reason) + "|" + (taken ? "taken in" : taken.error().reason);
  }
  [[nodiscard]] std::size_t kept() const {
    const auto database = ProfileDatabase::open(file_, Mode::read_only);
    return database ? database->samples()->size() : 0;
  }
  void leave_a_journal() const { SampleJournal(file_).add(sample(77), domain::kNoKind); }
};

TEST_F(Surroundings, AReadOnlyHomeIsReadAndLeftAsItIs) {
  ASSERT_TRUE(open().add(many(3)));
  leave_a_journal();
  fs::permissions(file_, fs::perms(0444));
  fs::permissions(folder_, fs::perms(0555));
  const std::string before = content();
  EXPECT_EQ(as_another_user([&]() -> std::string {
              SampleJournal journal(file_);
              journal.add(sample(5), domain::kNoKind);
              if (journal.progress().problem.find("no file can be made") == std::string::npos)
                return "journal: " + journal.progress().problem;
              const auto reader = ProfileDatabase::open(file_, Mode::read_only);
              if (!reader || reader->samples()->size() != 3) return "it cannot be read";
              const auto writer = ProfileDatabase::open(file_, Mode::create);
              return writer ? "it can be written" : writer.error().reason;
            }),
            file_.string() + " cannot be written: Permission denied");
  fs::permissions(folder_, fs::perms(0700));
  EXPECT_EQ(content(), before);
  EXPECT_TRUE(has_journals(file_));
}

TEST_F(Surroundings, AnotherUsersDatabaseIsLeftAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be two users";
  ASSERT_TRUE(open().add(many(3)));
  fs::permissions(folder_, fs::perms(0777));
  const std::string before = content();
  const std::string problem = as_another_user([&]() -> std::string {
    leave_a_journal();  // what this user measures waits beside it
    const auto reader = ProfileDatabase::open(file_, Mode::read_only);
    return reasons(file_) + "|" + (reader ? "read" : reader.error().reason);
  });
  EXPECT_EQ(std::count(problem.begin(), problem.end(), '|'), 2) << problem;
  EXPECT_EQ(problem.find("opened"), std::string::npos) << problem;
  EXPECT_EQ(problem.find("taken in"), std::string::npos) << problem;
  EXPECT_NE(problem.find("Permission denied"), std::string::npos) << problem;
  EXPECT_EQ(content(), before);
  EXPECT_EQ(damaged_files(), 0);
  EXPECT_EQ(take_in_journals(file_)->samples, 1u);
  EXPECT_EQ(kept(), 4u);
}

TEST_F(Surroundings, WithAFolderInItsPlaceSamplesWait) {
  fs::create_directory(file_);
  leave_a_journal();
  EXPECT_NE(reasons(file_).find("is no file"), std::string::npos);
  EXPECT_TRUE(has_journals(file_));
  fs::remove(file_);
  EXPECT_EQ(take_in_journals(file_)->samples, 1u);
}

TEST_F(Surroundings, WhatIsDeletedWhileInUseIsBegunAnew) {
  auto database = open();
  ASSERT_TRUE(database.add(many(2)));
  fs::remove(file_);
  EXPECT_FALSE(database.add(many(3)));  // and says so, instead of writing where nothing can be found
  EXPECT_EQ(database.samples()->size(), 2u);
  leave_a_journal();
  EXPECT_EQ(take_in_journals(file_)->samples, 1u);
  EXPECT_EQ(kept(), 1u);
}

TEST_F(Surroundings, OneThatIsLockedForEverCostsItsPatienceAndNoSample) {
  ASSERT_TRUE(open().add(many(2)));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  leave_a_journal();
  // In another process: locks are a process's.
  const std::string problem = in_child([&] {
    const auto reader = ProfileDatabase::open(file_, Mode::read_only, kImpatient);
    return reasons(file_) + "|" + (reader ? "read" : reader.error().reason);
  });
  EXPECT_EQ(problem,
            "the profile database: database is locked|the profile database: database is locked|the profile "
            "database: database is locked");
  EXPECT_TRUE(has_journals(file_));
  sqlite3_close(other);
  EXPECT_EQ(take_in_journals(file_)->samples, 1u);
  EXPECT_EQ(kept(), 3u);
}

TEST_F(Surroundings, AFolderThatIsLockedForEverKeepsOnlyTheNameOfADamagedOne) {
  ASSERT_TRUE(open().add(many(2)));
  const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(folder, LOCK_EX), 0);
  auto database = ProfileDatabase::open(file_, Mode::create, kImpatient);
  ASSERT_TRUE(database) << database.error().reason;
  EXPECT_TRUE(database->add(many(3)));
  write("no database at all");
  const auto damaged = ProfileDatabase::open(file_, Mode::create, kImpatient);
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().reason.find("do not let go of its folder"), std::string::npos) << damaged.error().reason;
  EXPECT_EQ(damaged_files(), 0);
  ::close(folder);
  EXPECT_NE(open().notice(), "");
}

/// A file may not grow beyond some KiB: what a write says then is what it says on a full disk.
TEST_F(Surroundings, AFileThatMayNotGrowLosesNothing) {
  ASSERT_TRUE(open().add(many(2)));
  EXPECT_EQ(in_child([&]() -> std::string {
              signal(SIGXFSZ, SIG_IGN);
              const rlim_t most = fs::file_size(file_) + 4096;
              const rlimit limit{most, most};
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return "no limit";
              SampleJournal journal(file_);
              journal.add(sample(1), domain::kNoKind);
              if (journal.progress().problem.find("File too large") == std::string::npos)
                return "journal: " + journal.progress().problem;
              auto database = ProfileDatabase::open(file_, Mode::create);
              if (!database) return database.error().reason;
              return database->add(many(400)) ? "all was written" : "";
            }),
            "");
  auto database = open();
  EXPECT_EQ(database.notice(), "");
  EXPECT_TRUE(database.check()->empty());
  EXPECT_EQ(database.samples()->size(), 2u);
  EXPECT_EQ(*database.add(many(400)), 398u);
}

class FullDisk : public Surroundings {
 protected:
  void SetUp() override {
    mounted_ = ::mount("none", folder_.c_str(), "tmpfs", 0, "size=512k,mode=0700") == 0;
    if (!mounted_) GTEST_SKIP() << "no file system can be mounted: " << std::strerror(errno);
  }
  void TearDown() override {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  bool mounted_ = false;
};

TEST_F(FullDisk, LosesNothing) {
  ASSERT_TRUE(open().add(many(2)));
  {
    SampleJournal journal(file_);  // its file would be larger than the disk
    journal.add(sample(1), domain::kNoKind);
    EXPECT_EQ(journal.progress().problem, "no file can be made beside the database: No space left on device");
  }
  EXPECT_FALSE(has_journals(file_));
  {
    auto database = open();
    const auto added = database.add(many(2000));
    ASSERT_FALSE(added);
    EXPECT_NE(added.error().reason.find("full"), std::string::npos) << added.error().reason;
  }
  auto database = open();
  EXPECT_EQ(database.notice(), "");
  EXPECT_TRUE(database.check()->empty());
  EXPECT_EQ(database.samples()->size(), 2u);
  EXPECT_EQ(*database.add(many(50)), 48u);
}

}  // namespace
}  // namespace skmd::profiler
