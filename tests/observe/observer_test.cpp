// SPDX-License-Identifier: Apache-2.0
#include "intercept/observe/observer.h"
#include "intercept/launch/account.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "tests/observe/support.h"

namespace skmd::icd {
namespace {

using nlohmann::json;
using test::read_file;
using test::split_launch;
using test::TemporaryFolder;

TEST(Observer, CountsNothingWhenNobodyListens) {
  Observer observer({});
  observer.devices(test::two_devices());
  observer.launch(split_launch("k"));
  observer.partition(5);
  EXPECT_FALSE(observer.listens());
  EXPECT_FALSE(observer.logs(LogLevel::error));
  const json document = json::parse(observer.stats_json());
  EXPECT_EQ(document["kernels"], json::array());
  EXPECT_EQ(document["partition"]["count"], 0);
}

TEST(Observer, WritesTheStatsFileWhenAContextEnds) {
  const TemporaryFolder folder;
  ObserverOptions options;
  options.stats_file = folder.file("stats-%p.json");
  Observer observer(options);
  observer.devices(test::two_devices());
  observer.launch(split_launch("k"));
  observer.context_ended();
  const json document = json::parse(read_file(folder.file("stats-" + std::to_string(getpid()) + ".json")));
  EXPECT_EQ(document["kernels"][0]["launches"], 1);
  EXPECT_TRUE(observer.listens());
  EXPECT_FALSE(observer.wants_times()) << "counting needs none, and drivers may be slow at them";
}

TEST(Observer, WritesTheStatsFileByItself) {
  const TemporaryFolder folder;
  ObserverOptions options;
  options.stats_file = folder.file("stats.json");
  Observer observer(options);
  observer.launch(split_launch("k"));
  // However slow the machine is, it appears; how soon is not tested here.
  json document;
  while (document.is_null()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const std::string text = read_file(options.stats_file);
    if (!text.empty()) document = json::parse(text);
  }
  EXPECT_EQ(document["kernels"][0]["name"], "k");
}

TEST(Observer, LeavesNoTemporaryBehind) {
  const TemporaryFolder folder;
  {
    ObserverOptions options;
    options.stats_file = folder.file("stats.json");
    Observer observer(options);
    for (int i = 0; i < 20; ++i) {
      observer.launch(split_launch("k"));
      observer.context_ended();
    }
  }
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 1);
}

TEST(Observer, ComplainsOnceAboutAStatsFileItCannotWrite) {
  const TemporaryFolder folder;
  ObserverOptions options;
  options.stats_file = "/nonexistent/folder/stats.json";
  options.log = "error:" + folder.file("log");
  Observer observer(options);
  for (int i = 0; i < 3; ++i) {
    observer.launch(split_launch("k"));
    observer.context_ended();
  }
  const std::string text = read_file(folder.file("log"));
  EXPECT_NE(text.find("SKMD_STATS: cannot write '/nonexistent/folder/stats.json'"), std::string::npos);
  EXPECT_EQ(text.find("SKMD_STATS"), text.rfind("SKMD_STATS"));
}

TEST(Observer, LogsMismatchesAsErrorsWithKernelArgumentAndOffset) {
  const TemporaryFolder folder;
  ObserverOptions options;
  options.log = "error:" + folder.file("log");
  Observer observer(options);
  VerifyReport report;
  report.kernel = "scan";
  report.argument = 2;
  report.mismatching_bytes = 8;
  report.first_offset = 4096;
  observer.verify(report);
  EXPECT_NE(
      read_file(folder.file("log")).find("kernel scan, argument 2, device 0: 8 bytes differ, first at offset 4096"),
      std::string::npos);
}

TEST(Observer, LogsEachLaunchAtDebug) {
  const TemporaryFolder folder;
  ObserverOptions options;
  options.log = "debug:" + folder.file("log");
  Observer observer(options);
  observer.launch(split_launch("vadd"));
  EXPECT_NE(read_file(folder.file("log"))
                .find("launch vadd: device 0 groups [0, 30) device 1 groups [30, 100) merge disjoint"),
            std::string::npos);
}

TEST(Observer, WarnsOnceThatSamplesAreNotKept) {
  const TemporaryFolder folder;
  ObserverOptions options = test::counting();
  options.log = "warn:" + folder.file("log");
  Observer observer(options);
  observer.profile_written(1, "");
  EXPECT_EQ(read_file(folder.file("log")), "");
  observer.profile_written(2, "no room");
  observer.profile_written(2, "no room");
  observer.profile_written(1, "");  // a thread that had asked before
  const std::string text = read_file(folder.file("log"));
  EXPECT_NE(text.find("profile database: no room"), std::string::npos);
  EXPECT_EQ(text.find("no room"), text.rfind("no room"));
  EXPECT_EQ(nlohmann::json::parse(observer.stats_json())["profile"]["problem"], "no room");
}

TEST(Observer, CountsReportsOfEightThreadsWhileFilesAreWritten) {
  const TemporaryFolder folder;
  ObserverOptions options;
  options.stats_file = folder.file("stats.json");
  options.trace_file = folder.file("trace.json");
  options.shared_folder = folder.path();
  options.log = "debug:" + folder.file("log");
  Observer observer(options);
  observer.devices(test::two_devices());
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&observer, t] {
      for (int i = 0; i < 100; ++i) {
        observer.launch(split_launch(std::string("kernel") + static_cast<char>('0' + t % 4)));
        observer.transfer({1, 10, 1, 1, 2, "k"});
        observer.merge({"k", domain::Rung::diff, 4, 1, 2});
        observer.partition(1000);
        observer.verify({});
        if (i % 25 == 0) observer.context_ended();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  observer.context_ended();
  const json document = json::parse(read_file(options.stats_file));
  EXPECT_EQ(document.dump(), json::parse(observer.stats_json()).dump());
  for (const json& kernel : document["kernels"]) EXPECT_EQ(kernel["launches"], 200);
  EXPECT_EQ(document["transfers"][1]["bytes_to"], 8000);
  EXPECT_EQ(document["partition"]["count"], 800);
  EXPECT_EQ(document["verify"]["launches"], 800);
  EXPECT_EQ(json::parse(read_file(options.trace_file)).size(), 1u + 2 * 5 + 800 * 4);
}

int signals_taken_elsewhere = 0;
pthread_t main_thread;

// Signals of the application must reach its own threads, however busy ours are.
TEST(Observer, ItsThreadTakesNoSignals) {
  const TemporaryFolder folder;
  ObserverOptions options;
  options.stats_file = folder.file("stats.json");
  Observer observer(options);
  observer.launch(split_launch("k"));
  main_thread = pthread_self();
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) {
    if (pthread_equal(pthread_self(), main_thread) == 0) ++signals_taken_elsewhere;
  };
  sigaction(SIGUSR1, &action, &before);
  sigset_t blocked, old;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  // Blocked here, so that any other thread that could take it would get it.
  pthread_sigmask(SIG_BLOCK, &blocked, &old);
  kill(getpid(), SIGUSR1);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_TRUE(sigismember(&pending, SIGUSR1));
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(signals_taken_elsewhere, 0);
}

}  // namespace
}  // namespace skmd::icd
