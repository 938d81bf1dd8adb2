// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/journal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "profiler/database/database.h"
#include "profiler/database/take_in.h"
#include "tests/temporary_folder.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using domain::ProfileSample;

/// Seconds of launches beside which keeping a sample is nothing.
constexpr double kLong = 1.0;

ProfileSample sample(std::uint64_t ns) {
  ProfileSample one;
  one.kernel = {"p", "k", "ready"};
  one.device = {"platform", "device", "1", 4};
  one.range.global[0] = one.range.local[0] = 64;
  one.span = {0, 1};
  one.kernel_ns = ns;
  return one;
}

class Journal : public testing::Test {
 protected:
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (fs::directory_iterator entry(folder_.path(), ignored), end; !ignored && entry != end; entry.increment(ignored))
      if (entry->path().filename().string().find(".samples-") != std::string::npos) found.push_back(entry->path());
    return found;
  }
  [[nodiscard]] std::size_t kept() const {
    const auto database = ProfileDatabase::open(file_, ProfileDatabase::Mode::read_only);
    return database ? database->samples()->size() : 0;
  }

  [[nodiscard]] std::uint64_t seen(const std::string& kernel) const {
    const auto database = ProfileDatabase::open(file_, ProfileDatabase::Mode::read_only);
    if (!database) return 0;
    const auto contents = database->contents();
    for (const KernelOnDevice& one : *contents)
      if (one.kernel.name == kernel) return one.seen;
    return 0;
  }
  /// So many more samples of a kind are measured, no two alike. How many of them were wanted, and added.
  std::size_t added(SampleJournal& journal, std::uint64_t kind, std::size_t count, const std::string& kernel = "k",
                    double seconds = kLong) {
    std::size_t wanted = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!journal.wants(kind, seconds)) continue;
      ProfileSample one = sample(++number_);
      one.kernel.name = kernel;
      journal.add(one, kind);
      ++wanted;
    }
    return wanted;
  }
  void fill_one(SampleJournal& journal) {
    ProfileSample one = sample(++number_);
    one.kernel.name = "filler";
    journal.add(one, domain::kNoKind);
  }
  /// Until there are so many files.
  void fill(SampleJournal& journal, std::size_t count) {
    while (files().size() < count)
      for (int i = 0; i < 100; ++i) fill_one(journal);
  }

  std::uint64_t number_ = 0;
  skmd::test::TemporaryFolder folder_;
  fs::path file_ = fs::path(folder_.path()) / "profile.db";
};

TEST_F(Journal, AChildOfAForkRecordsNothingInItsParentsFile) {
  {
    SampleJournal journal(file_);
    journal.add(sample(1), domain::kNoKind);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const bool wanted = journal.wants(1, kLong);
      for (std::uint64_t i = 100; i < 200; ++i) journal.add(sample(i), domain::kNoKind);
      _exit(wanted || files().size() != 1 ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    journal.add(sample(2), domain::kNoKind);
  }
  EXPECT_EQ(take_in_journals(file_)->samples, 2u);
}

TEST_F(Journal, AFileThatIsPreparedIsTheFirst) {
  {
    SampleJournal journal(file_);
    journal.prepare();
    journal.prepare();
    ASSERT_EQ(files().size(), 1u);
    journal.add(sample(1), domain::kNoKind);
    journal.prepare();
    EXPECT_EQ(files().size(), 1u);
    EXPECT_EQ(take_in_journals(file_)->files, 0u) << "its process lives";
  }
  EXPECT_EQ(take_in_journals(file_)->samples, 1u);
  SampleJournal none(folder_.path() + "/profile.db/beneath a file");
  none.prepare();
  EXPECT_NE(none.progress().problem, "");
}

TEST_F(Journal, ItsSamplesAreTakenInWhenItsProcessHasEnded) {
  {
    SampleJournal journal(file_);
    EXPECT_TRUE(files().empty());
    EXPECT_EQ(journal.progress().written, 0u);
    for (std::uint64_t i = 1; i <= 10; ++i) journal.add(sample(i), domain::kNoKind);
    ASSERT_EQ(files().size(), 1u);
    EXPECT_EQ(journal.progress().written, 10u);
    EXPECT_EQ(journal.progress().problem, "");
    EXPECT_EQ(take_in_journals(file_)->files, 0u);  // it lives
    EXPECT_EQ(files().size(), 1u);
  }
  const auto taken = take_in_journals(file_);
  ASSERT_TRUE(taken) << taken.error().reason;
  EXPECT_EQ(taken->files, 1u);
  EXPECT_EQ(taken->samples, 10u);
  EXPECT_EQ(kept(), 10u);
  EXPECT_FALSE(has_journals(file_));
}

TEST_F(Journal, NothingIsLostByAKill) {
  for (int round = 0; round < 20; ++round) {
    int tell[2];
    ASSERT_EQ(pipe(tell), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      SampleJournal journal(file_);
      for (std::uint64_t i = 1;; ++i) {
        journal.add(sample(static_cast<std::uint64_t>(round) * 1000000 + i), domain::kNoKind);
        if (write(tell[1], &i, sizeof i) != sizeof i) _exit(1);
      }
    }
    close(tell[1]);
    std::uint64_t told = 0;
    while (told < static_cast<std::uint64_t>(1 + 7 * round))
      ASSERT_EQ(read(tell[0], &told, sizeof told), static_cast<ssize_t>(sizeof told));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (read(tell[0], &told, sizeof told) == static_cast<ssize_t>(sizeof told)) {
    }
    close(tell[0]);
    const auto taken = take_in_journals(file_);
    ASSERT_TRUE(taken);
    EXPECT_GE(taken->samples, told) << round;
    ASSERT_TRUE(ProfileDatabase::open(file_, ProfileDatabase::Mode::create)->prune({}));
  }
}

TEST_F(Journal, AFileThatIsTakenInTwiceCountsOnce) {
  { SampleJournal(file_).add(sample(1), domain::kNoKind); }
  const fs::path journal = files().front();
  fs::copy_file(journal, journal.string() + "-again");
  const auto taken = take_in_journals(file_);
  EXPECT_EQ(taken->files, 2u);
  EXPECT_EQ(taken->samples, 1u);
}

TEST_F(Journal, GoesOnInAnotherFileAndEndsAfterSixteen) {
  const int most = static_cast<int>(tuning::kMaxJournals * tuning::kJournalBytes / 300);
  {
    SampleJournal journal(file_);
    for (int i = 0; i < most; ++i) {
      journal.add(sample(static_cast<std::uint64_t>(i) + 1), domain::kNoKind);
      if (!journal.wants(static_cast<std::uint64_t>(i), kLong)) break;
    }
    EXPECT_EQ(files().size(), tuning::kMaxJournals);
    EXPECT_FALSE(journal.wants(1u << 30, kLong));
    EXPECT_NE(journal.progress().problem.find("are full"), std::string::npos) << journal.progress().problem;
  }
}

TEST_F(Journal, ManyOfOneKindAreThinnedOut) {
  SampleJournal journal(file_);
  EXPECT_EQ(added(journal, 5, 100000), 256u + 8u);  // 512, 1,024 … 65,536
  EXPECT_TRUE(journal.wants(6, kLong));
}

TEST_F(Journal, ShortLaunchesLeaveFewerSamplesAndAllAreSeen) {
  {
    SampleJournal journal(file_);
    EXPECT_EQ(added(journal, 5, 8, "k", 1e-6), 8u);
    EXPECT_EQ(added(journal, 5, 400, "k", 1e-6), 0u) << "0.4 ms of launches";
    EXPECT_EQ(added(journal, 6, 8 + 100, "other", tuning::kSampleWorth / 4), 8u + 25u);
    EXPECT_EQ(added(journal, 7, 8 + 100, "long", tuning::kSampleWorth), 8u + 100u);
  }
  ASSERT_TRUE(take_in_journals(file_));
  EXPECT_EQ(seen("k"), 408u);
  EXPECT_EQ(seen("other"), 108u);
  EXPECT_EQ(seen("long"), 108u);
}

TEST_F(Journal, WhatIsPassedOverIsSeen) {
  {
    SampleJournal journal(file_);
    added(journal, 5, 1000);
    added(journal, 6, 256);
    added(journal, 7, 100, "other");
  }
  EXPECT_EQ(seen("k"), 0u);
  const fs::path one = files().front();
  fs::copy_file(one, one.string() + "-again");
  // Without a limit: which samples above it were there before cannot be told.
  EXPECT_EQ(take_in_journals(file_, {.samples = 10000})->samples, 257u + 256u + 100u);
  EXPECT_EQ(seen("k"), 1256u);
  EXPECT_EQ(seen("other"), 100u);
}

TEST_F(Journal, WhatIsPassedOverIsSeenAlsoOfAKilledProcess) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    SampleJournal journal(file_);
    added(journal, 5, 100000);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(take_in_journals(file_));
  EXPECT_EQ(seen("k"), 100000u);
}

TEST_F(Journal, WhatIsPassedOverIsSeenAlsoBehindTheEndOfAFile) {
  {
    SampleJournal journal(file_);
    EXPECT_EQ(added(journal, 5, 400), 256u);
    fill(journal, 2);
    EXPECT_EQ(added(journal, 5, 100), 1u) << "none of the kind was in the second file";
    EXPECT_EQ(take_in_journals(file_)->files, 1u) << "the first one is full";
    EXPECT_EQ(seen("k"), 400u);
    fill(journal, tuning::kMaxJournals - 1);  // the first one is gone
    EXPECT_EQ(added(journal, 5, 20), 2u) << "the first, and the 512th";
    while (journal.progress().problem.empty()) fill_one(journal);
    EXPECT_EQ(added(journal, 5, 50), 0u);
    EXPECT_EQ(added(journal, 9, 50), 0u);
  }
  ASSERT_TRUE(take_in_journals(file_));
  EXPECT_EQ(seen("k"), 570u) << "what was passed over when all files were full counts, too";
}

TEST_F(Journal, WithoutAFolderOrARightNothingHappens) {
  std::ofstream(fs::path(folder_.path()) / "file") << "x";
  SampleJournal journal(fs::path(folder_.path()) / "file" / "profile.db");
  journal.add(sample(1), domain::kNoKind);
  journal.add(sample(2), domain::kNoKind);
  EXPECT_FALSE(journal.wants(1, kLong));
  EXPECT_EQ(journal.progress().written, 0u);
  EXPECT_EQ(journal.progress().problem, "no file can be made beside the database: Not a directory");
}

TEST_F(Journal, AChildThatIsForkedWhileAnotherThreadAddsDoesNotHang) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the sanitizer's own locks do not survive such a fork";
#endif
  SampleJournal journal(file_);
  std::atomic<bool> over{false};
  std::thread adding([&] {
    for (std::uint64_t i = 1; !over.load() && i < 3000; ++i) journal.add(sample(i), domain::kNoKind);
  });
  for (std::uint64_t round = 0; round < 20; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);  // would otherwise wait for the mutex of a thread that it does not have
      journal.add(sample(1000000 + round), domain::kNoKind);
      _exit(journal.wants(7, kLong) || journal.progress().written != 0 ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << round;
  }
  over = true;
  adding.join();
}

TEST_F(Journal, SamplesGetTheCommitThatTheyLack) {
  {
    SampleJournal journal(file_, "0123abc");
    journal.add(sample(1), domain::kNoKind);
    auto other = sample(2);
    other.commit = "def";
    journal.add(other, domain::kNoKind);
  }
  ASSERT_TRUE(take_in_journals(file_));
  const auto samples = ProfileDatabase::open(file_, ProfileDatabase::Mode::read_only)->samples();
  ASSERT_EQ(samples->size(), 2u);
  for (const auto& one : *samples) EXPECT_EQ(one.commit, one.kernel_ns == 1 ? "0123abc" : "def");
}

TEST_F(Journal, FilesThatWereNeverReadyAreClearedAfterADay) {
  const fs::path fresh = file_.string() + ".unready-1-1-0", old = file_.string() + ".unready-1-1-1";
  std::ofstream(fresh) << "x";
  std::ofstream(old) << "x";
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(25));
  ASSERT_TRUE(take_in_journals(file_));
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_FALSE(fs::exists(old));
}

TEST_F(Journal, AProcessThatIsKilledWhileItMakesItsFileLeavesNoneThatIsNotReady) {
  const int unnamed = open(folder_.path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed < 0) GTEST_SKIP() << "the file system makes no files without a name";
  close(unnamed);
  for (int round = 0; round < 40; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      for (;;) SampleJournal(file_).prepare();
    std::this_thread::sleep_for(std::chrono::microseconds(500 + 137 * round));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    for (const fs::path& journal : files()) {
      std::string magic(8, '\0');
      std::ifstream(journal, std::ios::binary).read(magic.data(), 8);
      EXPECT_EQ(magic, kJournalMagic) << journal;
      fs::remove(journal);
    }
    EXPECT_TRUE(fs::is_empty(folder_.path())) << *fs::directory_iterator(folder_.path());
  }
}

TEST_F(Journal, FilesThatAreNoneAreCleared) {
  std::ofstream(file_.string() + ".samples-1-1-0") << "nonsense";
  std::ofstream(file_.string() + ".samples-1-1-1");
  std::string wrong(kJournalHead, '\0');
  wrong.replace(0, 8, kJournalMagic);
  wrong[8] = 127;  // longer than it is
  std::ofstream(file_.string() + ".samples-1-1-2") << wrong << "{\"kernel\":1}\n\n{";
  const auto taken = take_in_journals(file_);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->files, 3u);
  EXPECT_EQ(taken->samples, 0u);
}

TEST_F(Journal, OneThatIsJustBeingMadeCannotBeTakenForAnEndedOne) {
  std::atomic<bool> over{false};
  std::atomic<int> unready{0};
  std::thread reader([&] {
    while (!over.load())
      for (const fs::path& journal : files()) {
        std::ifstream in(journal, std::ios::binary);
        std::string magic(8, '\0');
        if (in && (!in.read(magic.data(), 8) || magic != kJournalMagic)) ++unready;
      }
  });
  for (std::uint64_t i = 1; i <= 400; ++i) {
    SampleJournal(file_).add(sample(i), domain::kNoKind);
    for (const fs::path& journal : files()) fs::remove(journal);
  }
  over = true;
  reader.join();
  EXPECT_EQ(unready, 0);
}

TEST_F(Journal, ThreadsAddAtOnce) {
  {
    SampleJournal journal(file_);
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 4; ++t)
      threads.emplace_back([&journal, t] {
        for (std::uint64_t i = 1; i <= 50; ++i)
          if (journal.wants(t, kLong)) journal.add(sample(t * 1000 + i), domain::kNoKind);
      });
    for (auto& thread : threads) thread.join();
  }
  EXPECT_EQ(take_in_journals(file_)->samples, 200u);
}

}  // namespace
}  // namespace skmd::profiler
