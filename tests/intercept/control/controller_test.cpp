// SPDX-License-Identifier: Apache-2.0
#include "intercept/control/controller.h"

#include <gtest/gtest.h>

#include "tests/intercept/control/world.h"

namespace skmd::icd::test {
namespace {

TEST(Controller, StatusTellsWhatDevicesHold) {
  ControlledWorld w({true, false});
  ASSERT_EQ(w.axpy()->wait(), CL_COMPLETE);
  ASSERT_TRUE(is_ok(w.ask("stop\t1")));
  const std::string status = w.ask("status");
  EXPECT_TRUE(has(status, "{\"ok\":true,\"version\":1,\"pid\":")) << status;
  EXPECT_TRUE(has(status, "\"program\":\"program\",\"suspended\":false")) << status;
  EXPECT_TRUE(has(status,
                  "{\"name\":\"fake 0\",\"selector\":\":fake 0\",\"state\":\"open\",\"launches\":0,\"bytes\":8192,"
                  "\"sole_bytes\":4096}"))
      << status;
  EXPECT_TRUE(has(status, "\"state\":\"stopped\",\"launches\":0,\"bytes\":0,\"sole_bytes\":0}")) << status;
  EXPECT_TRUE(has(status, "\"kernels\":[]")) << status;
}

TEST(Controller, StatusTellsWhatRuns) {
  ControlledWorld w({true, true});
  std::string status;
  w.fakes[0]->on_group = [&] {
    if (status.empty()) status = w.ask("status");
  };
  EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
  EXPECT_TRUE(has(status, "\"kernels\":[{\"name\":\"axpy\",\"running_groups\":[16,0]}]")) << status;
  EXPECT_TRUE(has(status, "\"launches\":1")) << status;
}

TEST(Controller, TheLastDeviceIsNotStopped) {
  ControlledWorld w({true, true});
  ASSERT_TRUE(is_ok(w.ask("stop\t1")));
  EXPECT_TRUE(has(w.ask("stop\t0"), "it is the last device in use")) << "nothing would run any more";
  EXPECT_FALSE(is_stopped(w.machine, 0));
  EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
}

TEST(Controller, ADeviceThatFailedCountsAsNone) {
  ControlledWorld w({true, true});
  w.fakes[1]->health()->set_aside();
  EXPECT_TRUE(has(w.ask("stop\t0"), "it is the last device in use"));
  EXPECT_TRUE(has(w.ask("start\t1"), "it was set aside after a failure"));
  EXPECT_TRUE(has(w.ask("status"), "\"state\":\"failed\""));
  EXPECT_TRUE(has(w.ask("move\taxpy\t1"), "was set aside after a failure"));
}

TEST(Controller, WhatIsDoneAlreadyIsSaid) {
  ControlledWorld w({true, true});
  EXPECT_TRUE(has(w.ask("start\t0"), "it is not stopped"));
  EXPECT_TRUE(has(w.ask("resume"), "it is not suspended"));
  ASSERT_TRUE(is_ok(w.ask("stop\t0")));
  EXPECT_TRUE(has(w.ask("stop\t0"), "it is stopped already"));
  EXPECT_TRUE(has(w.ask("move\taxpy\t0"), "is stopped"));
  ASSERT_TRUE(is_ok(w.ask("suspend")));
  EXPECT_TRUE(has(w.ask("suspend"), "it is suspended already"));
  ASSERT_TRUE(is_ok(w.ask("resume")));
}

TEST(Controller, NamesThatAreNotKnownComeWithAllThatAre) {
  ControlledWorld w({true, true});
  const std::string answer = w.ask("stop\tfaek 1");
  EXPECT_FALSE(is_ok(answer));
  EXPECT_TRUE(has(answer, "\"what\":\"device\",\"name\":\"faek 1\",\"names\":[\"fake 0\",")) << answer;
  EXPECT_TRUE(has(w.ask("move\taxpy\t1"), "no launch of the kernel axpy is running"));
  EXPECT_TRUE(has(w.ask("halt"), "is no command"));
}

TEST(Controller, ProgramScopeVariablesKeepADeviceFromBeingStopped) {
  ControlledWorld w({true, true});
  bool lives = true;
  w.running.keeps(
      {"counter", [&] { return lives ? std::optional<std::uint32_t>(0) : std::nullopt; }, [&] { return lives; }});
  const std::string answer = w.ask("stop\t0");
  EXPECT_TRUE(has(answer, "program-scope variables of the program with the kernel counter")) << answer;
  EXPECT_FALSE(is_stopped(w.machine, 0));
  EXPECT_TRUE(has(w.ask("suspend"), "program-scope variables of the program with the kernel counter"));
  ASSERT_TRUE(is_ok(w.ask("resume")));
  EXPECT_TRUE(is_ok(w.ask("stop\t1")));
  EXPECT_TRUE(is_ok(w.ask("start\t1")));
  lives = false;
  EXPECT_TRUE(is_ok(w.ask("stop\t0")));
}

TEST(Controller, WhatDriversKeepOpenIsReported) {
  ControlledWorld w({true});
  const std::string answer = w.ask("suspend");
  EXPECT_TRUE(has(answer, "\"open\":[\"fake 0: context, queues, programs, kernels")) << answer;
  ASSERT_TRUE(is_ok(w.ask("resume")));
}

TEST(Controller, BytesThatCannotBeFetchedAreReportedAndStay) {
  ControlledWorld w({true, true});
  ASSERT_EQ(w.axpy()->wait(), CL_COMPLETE);
  w.fakes[0]->fail_reads = 1;
  const std::string answer = w.ask("stop\t0");
  EXPECT_TRUE(has(answer, "still has bytes that could not be fetched")) << answer;
}

}  // namespace
}  // namespace skmd::icd::test
