// SPDX-License-Identifier: Apache-2.0
#include "profiler/run_report/run_counters.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "tests/temporary_folder.h"

namespace skmd::profiler {
namespace {

TEST(RunCounters, AreAddedUpOverProcesses) {
  const skmd::test::TemporaryFolder folder;
  const auto one = RunCounters::create(folder.path(), 2);
  const auto two = RunCounters::create(folder.path(), 2);
  ASSERT_TRUE(one && two);
  (void)two->kernel("other", "first");
  for (RunCounters* counters : {one.get(), two.get()}) {
    const std::size_t kernel = counters->kernel("program", "name");
    EXPECT_EQ(counters->kernel("program", "name"), kernel);
    EXPECT_NE(counters->kernel("program 2", "name"), kernel);
    for (int i = 0; i < 3; ++i) counters->launched(kernel);
    counters->profiled(kernel);
    counters->sampled(kernel, 1);
    counters->sampled(kernel, 7);  // no such device
    counters->left_out(kernel, "a reason");
    counters->left_out(kernel, "another");
    counters->left_out(kernel, "a reason");
  }
  const auto counts = read_counts(folder.path());
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts[0].name, "first");
  EXPECT_EQ(counts[1].name, "name");
  EXPECT_EQ(counts[1].program, "program");
  EXPECT_EQ(counts[1].launches, 6u);
  EXPECT_EQ(counts[1].profiled, 2u);
  EXPECT_EQ(counts[1].samples, (std::vector<std::uint64_t>{0, 2}));
  EXPECT_EQ(counts[1].left_out, (std::map<std::string, std::uint64_t>{{"a reason", 4}, {"another", 2}}));
}

TEST(RunCounters, ProgressEndsWhereItWasPlannedTo) {
  const skmd::test::TemporaryFolder folder;
  const auto counters = RunCounters::create(folder.path(), 1);
  ASSERT_TRUE(counters);
  const std::size_t kernel = counters->kernel("program", "name");
  EXPECT_EQ(read_progress(folder.path()).planned, 0.0);
  counters->begin(kernel, 0.0);
  counters->launch(9.0);
  counters->begin(kernel, 4.0);
  EXPECT_EQ(read_progress(folder.path()).launch, 0.0) << "it is another one's";
  counters->launch(2.5);
  counters->done(1.0);
  RunProgress progress = read_progress(folder.path());
  EXPECT_DOUBLE_EQ(progress.planned, 4.0);
  EXPECT_DOUBLE_EQ(progress.done, 1.0);
  EXPECT_EQ(progress.kernel, "name");
  counters->end();
  progress = read_progress(folder.path());
  EXPECT_DOUBLE_EQ(progress.done, progress.planned);
  EXPECT_DOUBLE_EQ(progress.launch, 2.5) << "it comes now";
  EXPECT_EQ(progress.kernel, "");
}

TEST(RunCounters, AreThereAfterAnyEnd) {
  const skmd::test::TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const auto counters = RunCounters::create(folder.path(), 1);
    counters->launched(counters->kernel("program", "killed"));
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  const auto counts = read_counts(folder.path());
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts[0].launches, 1u);
}

TEST(RunCounters, TakeAnyNamesAndAnyNumberOfThem) {
  const skmd::test::TemporaryFolder folder;
  const auto counters = RunCounters::create(folder.path(), 1000);
  ASSERT_TRUE(counters);
  const std::string endless(5000, 'x');
  EXPECT_EQ(counters->kernel(endless, endless), counters->kernel(endless, endless));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1500; ++i) {
        const std::size_t kernel = counters->kernel("p", std::to_string(i));
        counters->launched(kernel);
        counters->left_out(kernel, std::to_string(i));
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::uint64_t launches = 0;
  for (const KernelCounts& kernel : read_counts(folder.path())) launches += kernel.launches;
  EXPECT_EQ(launches, 6000u);
}

TEST(RunCounters, DamagedFilesAreLeftOut) {
  const skmd::test::TemporaryFolder folder;
  std::ofstream(folder.file("short")) << "SKMDRUN1";
  EXPECT_TRUE(read_counts(folder.path()).empty());
  EXPECT_TRUE(read_counts(folder.file("nowhere")).empty());
  EXPECT_EQ(RunCounters::create(folder.file("nowhere"), 1), nullptr);
}

}  // namespace
}  // namespace skmd::profiler
