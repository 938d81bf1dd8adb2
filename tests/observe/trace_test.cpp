// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "intercept/launch/account.h"
#include "intercept/observe/trace_file.h"
#include "tests/observe/support.h"

namespace skmd::icd {
namespace {

using nlohmann::json;
using test::read_file;
using test::split_launch;
using test::TemporaryFolder;

json events_of(const std::string& path, const std::string& phase) {
  json found = json::array();
  for (const json& event : json::parse(read_file(path))) {
    if (event["ph"] == phase) found.push_back(event);
  }
  return found;
}

TEST(Trace, NamesTheProcessAndATrackPerDeviceLinkAndMerges) {
  const TemporaryFolder folder;
  TraceFile trace;
  std::string reason;
  ASSERT_TRUE(trace.open(folder.file("t"), reason)) << reason;
  trace.name_tracks(test::two_devices());
  std::map<int, std::string> names;
  for (const json& event : events_of(folder.file("t"), "M")) {
    if (event["name"] == "thread_name") names[event["tid"]] = event["args"]["name"];
    if (event["name"] == "process_name") {
      EXPECT_EQ(event["args"]["name"], "SKMD in observe_test");
    }
  }
  EXPECT_EQ(names, (std::map<int, std::string>{{1, "device 0: basic CPU"},
                                               {2, "link 0: host and basic CPU"},
                                               {3, "device 1: big GPU"},
                                               {4, "link 1: host and big GPU"},
                                               {1000, "merges"}}));
}

TEST(Trace, PutsSlicesTransfersAndMergesOnTheirTracks) {
  const TemporaryFolder folder;
  TraceFile trace;
  std::string reason;
  ASSERT_TRUE(trace.open(folder.file("t"), reason)) << reason;
  const std::uint64_t later = 1ull << 62;
  LaunchReport launch = split_launch("vadd");
  launch.slices = {{1, {3, 9}, later, later + 1234567}};
  trace.add(launch);
  trace.add(TransferReport{0, 64, 0, later, later + 1, "vadd"});
  trace.add(MergeReport{"vadd", domain::Rung::diff, 32, later, later});
  const json events = events_of(folder.file("t"), "X");
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0]["name"], "vadd");
  EXPECT_EQ(events[0]["tid"], 3);
  EXPECT_EQ(events[0]["args"], (json{{"launch", 1}, {"first_group", 3}, {"last_group", 9}}));
  EXPECT_DOUBLE_EQ(events[0]["dur"], 1234.567);
  EXPECT_EQ(events[1]["tid"], 2);
  EXPECT_EQ(events[1]["args"], (json{{"bytes_to", 64}, {"bytes_from", 0}}));
  EXPECT_EQ(events[2]["tid"], 1000);
  EXPECT_EQ(events[2]["args"], (json{{"rung", "diff"}, {"bytes", 32}}));
}

TEST(Trace, LeavesOutWhatNobodyMeasured) {
  const TemporaryFolder folder;
  TraceFile trace;
  std::string reason;
  ASSERT_TRUE(trace.open(folder.file("t"), reason)) << reason;
  LaunchReport launch = split_launch("vadd");
  launch.slices[0].start = launch.slices[0].end = 0;
  trace.add(launch);
  trace.add(TransferReport{0, 64, 0, 0, 0, "vadd"});
  EXPECT_EQ(events_of(folder.file("t"), "X").size(), 1u);
}

TEST(Trace, IsWholeAfterEachReportOfAProcessThatIsKilled) {
  const TemporaryFolder folder;
  for (int reports = 0; reports < 4; ++reports) {
    const pid_t child = fork();
    if (child == 0) {
      ObserverOptions options;
      options.trace_file = folder.file("t");
      Observer observer(options);
      for (int i = 0; i < reports; ++i) observer.launch(split_launch("k"));
      kill(getpid(), SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(events_of(folder.file("t"), "X").size(), 2u * static_cast<unsigned>(reports));
  }
}

TEST(Trace, AFileThatCannotBeMadeIsLoggedAndIgnored) {
  const TemporaryFolder folder;
  ObserverOptions options;
  options.trace_file = "/nonexistent/folder/trace";
  options.log = "error:" + folder.file("log");
  Observer observer(options);
  observer.launch(split_launch("k"));
  EXPECT_FALSE(observer.wants_times());
  EXPECT_NE(read_file(folder.file("log")).find("SKMD_TRACE: cannot write '/nonexistent/folder/trace'"),
            std::string::npos);
}

}  // namespace
}  // namespace skmd::icd
