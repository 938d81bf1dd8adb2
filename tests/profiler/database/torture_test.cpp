// SPDX-License-Identifier: Apache-2.0
// Many processes that record, commit and take in, killed at any moment: what was acknowledged is there, once.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <random>

#include "profiler/database/journal.h"
#include "profiler/database/take_in.h"
#include "tests/profiler/database/fixture.h"
#include "tests/profiler/database/rounds.h"
#include "tests/profiler/database/samples.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using Mode = ProfileDatabase::Mode;
using test::sample;

constexpr std::uint64_t kMaxOfOne = 250;  // samples of one process
constexpr std::uint64_t kAtOnce = 5;      // samples of one commit
constexpr DatabaseLimits kNoLimits{std::uint64_t{1} << 40, 1 << 30, 20000};

enum class Role { records, commits, takes_in };

/// The number of the last sample that a process knows to be kept: add() has returned.
using Acknowledged = std::atomic<std::uint64_t>;

std::uint64_t name_of(std::uint64_t process, std::uint64_t number) { return process * 1000 + number; }

[[noreturn]] void record(const fs::path& file, std::uint64_t process, Acknowledged& done) {
  SampleJournal journal(file);
  for (std::uint64_t i = 1; i <= kMaxOfOne; ++i) {
    journal.add(sample(name_of(process, i)), domain::kNoKind);
    if (journal.progress().written != i) _exit(1);
    done.store(i);
  }
  for (;;) pause();
}

[[noreturn]] void commit(const fs::path& file, std::uint64_t process, Acknowledged& done) {
  for (std::uint64_t i = 0; i + kAtOnce <= kMaxOfOne; i += kAtOnce) {
    auto database = ProfileDatabase::open(file, Mode::create, kNoLimits);
    if (!database) _exit(2);
    std::vector<domain::ProfileSample> some;
    for (std::uint64_t k = 1; k <= kAtOnce; ++k) some.push_back(sample(name_of(process, i + k)));
    const auto added = database->add(some);
    if (!added || *added != kAtOnce) _exit(3);
    done.store(i + kAtOnce);
  }
  for (;;) pause();
}

[[noreturn]] void take_in(const fs::path& file) {
  for (;;)
    if (!take_in_journals(file, kNoLimits)) _exit(4);
}

class Torture : public test::DatabaseFile {
 protected:
  Torture() {
    void* const shared = mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    done_ = static_cast<Acknowledged*>(shared);
  }
  ~Torture() override { munmap(done_, 1 << 16); }

  static Role role_of(int process) {
    return process % 6 == 0 ? Role::takes_in : process % 6 == 1 ? Role::commits : Role::records;
  }

  /// Starts them, and kills each at some moment of the next fortieth of a second or so.
  void play(int processes, std::uint64_t first, std::mt19937_64& random) {
    std::vector<pid_t> children;
    for (int p = 0; p < processes; ++p) {
      done_[p].store(0);
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        const std::uint64_t process = first + static_cast<std::uint64_t>(p);
        if (role_of(p) == Role::records) record(file_, process, done_[p]);
        if (role_of(p) == Role::commits) commit(file_, process, done_[p]);
        take_in(file_);
      }
      children.push_back(child);
    }
    std::shuffle(children.begin(), children.end(), random);
    for (const pid_t child : children) {
      usleep(static_cast<useconds_t>(random() % 50000 / static_cast<unsigned>(processes)));
      kill(child, SIGKILL);
    }
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFSIGNALED(status)) << "it gave up by itself, with " << WEXITSTATUS(status);
    }
  }

  /// Every acknowledged sample is there, of those that were not at most the one that was under way.
  void expect_kept(int processes, std::uint64_t first) {
    auto database = ProfileDatabase::open(file_, Mode::create, kNoLimits);
    ASSERT_TRUE(database) << database.error().reason;
    EXPECT_EQ(database->notice(), "");
    const auto problems = database->check();
    ASSERT_TRUE(problems);
    EXPECT_TRUE(problems->empty()) << problems->front();
    std::map<std::uint64_t, std::uint64_t> there;  // by process; a sample cannot be there twice
    const auto samples = database->samples();
    ASSERT_TRUE(samples);
    for (const auto& one : *samples) {
      EXPECT_GE(one.kernel_ns / 1000, first);
      ++there[one.kernel_ns / 1000];
    }
    for (int p = 0; p < processes; ++p) {
      const std::uint64_t kept = there[first + static_cast<std::uint64_t>(p)], told = done_[p].load();
      if (role_of(p) == Role::takes_in) continue;
      EXPECT_GE(kept, told) << "process " << p;
      EXPECT_LE(kept, told + (role_of(p) == Role::commits ? kAtOnce : 1)) << "process " << p;
      EXPECT_TRUE(role_of(p) != Role::commits || kept % kAtOnce == 0) << "a part of a commit: " << kept;
    }
    all_ += samples->size();
    // None was counted twice, also where one was killed between its commit and the journal's removal.
    EXPECT_EQ(database->contents()->front().seen, all_);
    ASSERT_TRUE(database->prune({}));
  }

  Acknowledged* done_;
  std::uint64_t all_ = 0;
};

TEST_F(Torture, ProcessesThatAreKilledLoseNothingThatTheyWereTold) {
  const int rounds = test::rounds() == 1 ? 12 : test::rounds(), processes = test::rounds() == 1 ? 12 : 50;
  std::mt19937_64 random(4);
  std::uint64_t told = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t first = 1 + static_cast<std::uint64_t>(round) * 100;
    play(processes, first, random);
    const auto taken = take_in_journals(file_, kNoLimits);
    ASSERT_TRUE(taken) << taken.error().reason;
    EXPECT_FALSE(has_journals(file_));
    expect_kept(processes, first);
    if (HasFatalFailure()) return;
    for (int p = 0; p < processes; ++p) told += done_[p].load();
  }
  EXPECT_GT(told, static_cast<std::uint64_t>(rounds * processes)) << "they were killed before they did anything";
}

}  // namespace
}  // namespace skmd::profiler
