// SPDX-License-Identifier: Apache-2.0
// The cache under fire: many processes, killed at any time; disks that are full, folders that are not ours; and how it
// stays within its size.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <random>
#include <vector>

#include "compiler/client/cache.h"
#include "compiler/client/hash.h"
#include "compiler/client/sweep.h"
#include "fake_helper.h"

namespace skmd::compiler::test {
namespace {

namespace fs = std::filesystem;

Reply reply_of(const std::string& name, std::size_t bytes) {
  Reply reply = reply_named(name + std::string(bytes, 'x'));
  reply.answer.preprocessed = name;
  return reply;
}

std::string key_of(unsigned number) { return content_hash(std::to_string(number)); }

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t sum = 0;
  for (const auto& entry : fs::directory_iterator(folder)) sum += fs::file_size(entry);
  return sum;
}

void make_old(const std::string& path, time_t seconds) {
  const timespec times[2] = {{::time(nullptr) - seconds, 0}, {::time(nullptr) - seconds, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

pid_t in_child(const std::function<void()>& run) {
  const pid_t child = ::fork();
  if (child == 0) {
    run();
    ::_exit(0);
  }
  return child;
}

int status_of(pid_t child) {
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

class CacheFolder : public testing::Test {
 protected:
  [[nodiscard]] std::string entry(unsigned number) const { return path_ + "/" + key_of(number) + kEntrySuffix; }
  void expect_every_entry_whole() const {
    for (const auto& file : fs::directory_iterator(path_)) {
      if (file.path().extension() != kEntrySuffix) continue;
      EXPECT_TRUE(Cache(path_).find(file.path().stem(), "")) << file.path();
    }
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("cache");
};

TEST_F(CacheFolder, SurvivesWritersThatAreKilledAtAnyTime) {
  constexpr unsigned kWriters = 10;
  constexpr unsigned kKeys = 4;
  const auto write_for_ever = [&](unsigned seed) {
    for (unsigned i = seed;; i = i * 1664525 + 1013904223) {
      const unsigned number = (i >> 16) % kKeys;
      const Cache cache(path_);
      if (!cache.find(key_of(number), "") || i % 3 != 0) {
        cache.store(key_of(number), reply_of(std::to_string(number), 20000 + i % 50000));
      }
    }
  };
  std::mt19937 random(7);
  for (unsigned round = 0; round < 8; ++round) {
    std::vector<pid_t> writers;
    for (unsigned w = 0; w < kWriters; ++w) {
      const unsigned seed = random();
      writers.push_back(in_child([&] { write_for_ever(seed); }));
    }
    for (const pid_t writer : writers) {
      ::usleep(random() % 8000);
      ::kill(writer, SIGKILL);
    }
    for (const pid_t writer : writers) status_of(writer);
    expect_every_entry_whole();
  }
  // Leftovers of killed writers do not disturb later processes.
  for (unsigned number = 0; number < kKeys; ++number) {
    Cache(path_).store(key_of(number), reply_of("clean", 10));
    const auto found = Cache(path_).find(key_of(number), "");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->answer.preprocessed, "clean");
  }
}

TEST_F(CacheFolder, IsSharedByProcessesThatBuildAtTheSameTime) {
  FakeHelper helper(FakeHelper::answering());
  helper.set_reply(reply_named("done"));
  std::vector<pid_t> builders;
  for (unsigned b = 0; b < 10; ++b) {
    builders.push_back(in_child([&, b] {
      for (unsigned i = 0; i < 4; ++i) {
        CompileRequest request;
        request.source = std::to_string(b % 2 == 0 ? i : b * 10 + i);  // the same programs, and others
        if (Client(helper.options()).compile(request).text != "done") ::_exit(1);
      }
    }));
  }
  for (const pid_t builder : builders) EXPECT_EQ(status_of(builder), 0);
  path_ = helper.folder().file("cache");
  expect_every_entry_whole();
  EXPECT_EQ(std::distance(fs::directory_iterator(path_), fs::directory_iterator()), 4 + 5 * 4);
}

TEST_F(CacheFolder, RefusesEntriesCutOffAnywhereOrWithABitFlipped) {
  const Cache cache(path_);
  cache.store(key_of(1), reply_of("one", 100));
  const std::string good = read_file(entry(1));
  ASSERT_TRUE(cache.find(key_of(1), ""));
  for (std::size_t size = 0; size < good.size(); ++size) {
    write_file(entry(1), good.substr(0, size));
    EXPECT_FALSE(cache.find(key_of(1), "")) << size;
  }
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string damaged = good;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write_file(entry(1), damaged);
    EXPECT_FALSE(cache.find(key_of(1), "")) << bit;
  }
  write_file(entry(1), good + "x");
  EXPECT_FALSE(cache.find(key_of(1), ""));
  cache.store(key_of(1), reply_of("one", 100));
  EXPECT_EQ(read_file(entry(1)), good);
}

TEST_F(CacheFolder, DoesNotFollowLinksAndReplacesThem) {
  const Cache cache(path_);
  cache.store(key_of(1), reply_of("one", 0));
  fs::rename(entry(1), folder_.file("elsewhere"));
  fs::create_symlink(folder_.file("elsewhere"), entry(1));
  EXPECT_FALSE(cache.find(key_of(1), ""));
  const std::string before = read_file(folder_.file("elsewhere"));
  cache.store(key_of(1), reply_of("two", 0));
  EXPECT_FALSE(fs::is_symlink(entry(1)));
  EXPECT_EQ(read_file(folder_.file("elsewhere")), before);
  EXPECT_TRUE(cache.find(key_of(1), ""));
}

TEST_F(CacheFolder, DoesNotWaitForAPipeInPlaceOfAnEntry) {
  const Cache cache(path_);
  ASSERT_EQ(::mkfifo(entry(1).c_str(), 0600), 0);
  EXPECT_FALSE(cache.find(key_of(1), ""));
  cache.store(key_of(1), reply_of("one", 0));
  EXPECT_TRUE(cache.find(key_of(1), ""));
}

TEST_F(CacheFolder, OfSomebodyElseIsNotUsed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  fs::create_directory(path_);
  ASSERT_EQ(::chown(path_.c_str(), 65534, 65534), 0);
  Cache(path_).store(key_of(1), reply_of("one", 0));
  EXPECT_TRUE(fs::is_empty(path_));
}

TEST_F(CacheFolder, LetsAnApplicationLiveThatMayWriteOnlySmallFiles) {
  const pid_t child = in_child([&] {
    const rlimit small{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &small);
    Cache(path_).store(key_of(1), reply_of("small", 100));
    Cache(path_).store(key_of(2), reply_of("large", 100000));
    CompileRequest request;
    request.source.assign(100000, 'x');
    const CompileAnswer answer = Client({"/bin/true", "", {}}).compile(request);
    ::_exit(answer.outcome == Outcome::opaque && answer.reason.find("RLIMIT_FSIZE") != std::string::npos ? 42 : 1);
  });
  const int status = status_of(child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_TRUE(Cache(path_).find(key_of(1), ""));
  EXPECT_EQ(std::distance(fs::directory_iterator(path_), fs::directory_iterator()), 1);
}

/// 0: as expected. 77: this process may not mount.
int status_on_a_small_disk(const std::string& path) {
  if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
  fs::create_directory(path);
  if (::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=128k,mode=0700") != 0) return 77;
  Cache(path).store(key_of(1), reply_of("one", 10000));
  Cache(path).store(key_of(2), reply_of("two", 200000));
  if (!Cache(path).find(key_of(1), "") || Cache(path).find(key_of(2), "")) return 1;
  if (std::distance(fs::directory_iterator(path), fs::directory_iterator()) != 1) return 2;
  if (::mount(nullptr, path.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return 77;
  Cache(path).store(key_of(3), reply_of("three", 10));
  return Cache(path).find(key_of(1), "") && !Cache(path).find(key_of(3), "") ? 0 : 3;
}

TEST_F(CacheFolder, OnAFullOrReadOnlyDiskKeepsWhatItHas) {
  const int status = status_of(in_child([&] { ::_exit(status_on_a_small_disk(path_)); }));
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "this process may not mount";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(CacheFolder, StaysWithinItsLimit) {
  constexpr std::uint64_t kLimit = 1000000;
  for (unsigned number = 0; number < 200; ++number) {
    Cache(path_, kLimit).store(key_of(number), reply_of("n", 70000));
    EXPECT_LE(bytes_in(path_), kLimit);
    EXPECT_TRUE(Cache(path_, kLimit).find(key_of(number), "")) << "the newest stays";
  }
  Cache(path_, kLimit).store(key_of(1000), reply_of("too large", kLimit));
  EXPECT_FALSE(Cache(path_, kLimit).find(key_of(1000), ""));
}

TEST_F(CacheFolder, LosesWhatWasNotUsedForLongest) {
  const Cache cache(path_);
  for (unsigned number = 0; number < 10; ++number) {
    cache.store(key_of(number), reply_of("n", 10000));
    make_old(entry(number), 100000 - 1000 * static_cast<time_t>(number));
  }
  EXPECT_TRUE(cache.find(key_of(0), "")) << "used just now";
  sweep(path_, 50000);
  EXPECT_TRUE(cache.find(key_of(0), ""));
  EXPECT_FALSE(cache.find(key_of(1), ""));
  EXPECT_FALSE(cache.find(key_of(2), ""));
  EXPECT_TRUE(cache.find(key_of(9), ""));
  EXPECT_LE(bytes_in(path_), 37500u);
}

TEST_F(CacheFolder, IsSweptOfOldLeftoversAndOfNothingElse) {
  const Cache cache(path_);
  cache.store(key_of(1), reply_of("one", 10));
  for (const char* name : {"/old.part", "/new.part", "/notes.txt", "/old.compiled.bak"}) {
    write_file(path_ + name, std::string(100000, 'x'));
  }
  make_old(path_ + "/old.part", 7200);
  make_old(path_ + "/notes.txt", 7200);
  sweep(path_, 50000);
  EXPECT_FALSE(fs::exists(path_ + "/old.part"));
  EXPECT_TRUE(fs::exists(path_ + "/new.part"));
  EXPECT_TRUE(fs::exists(path_ + "/notes.txt"));
  EXPECT_TRUE(fs::exists(path_ + "/old.compiled.bak"));
  EXPECT_TRUE(cache.find(key_of(1), ""));
}

}  // namespace
}  // namespace skmd::compiler::test
