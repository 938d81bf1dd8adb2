// SPDX-License-Identifier: Apache-2.0
// Which builds are waited for in `auto`, in which order the others follow, and what becomes of those that are given up.
#include <fstream>
#include <sstream>

#include "intercept/build/built_programs.h"
#include "tests/intercept/build/background_fixture.h"
#include "tests/temporary_folder.h"

namespace skmd::icd {
namespace {

TEST_F(BackgroundBuilds, TheBuildEndsWithTheAnchorAndTheOthersFollow) {
  other_gate.close();
  const BuildOutcome outcome = build();
  ASSERT_NE(outcome.build, nullptr);
  BuiltKernel& kernel = *outcome.build->kernels[0];
  EXPECT_TRUE(kernel.built_on(0));
  EXPECT_FALSE(kernel.built_on(1));
  EXPECT_EQ(kernel.home(), 0u);
  const std::uint32_t before = kernel.builds().ended();
  other_gate.wait_for(1);
  other_gate.open();
  kernel.builds().wait(1);
  EXPECT_TRUE(kernel.built_on(1));
  EXPECT_NE(kernel.builds().ended(), before) << "who remembers what is eligible has to look again";
  EXPECT_TRUE(kernel.native(1));
}

TEST_F(BackgroundBuilds, ADeviceThatIsSlowToStartWaitsForARepeatedLaunch) {
  start_queue(1, 1ms, 1h, 0b10);
  const BuildOutcome first = build();
  ASSERT_NE(first.build, nullptr);
  std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(first.build->native->open(1)) << "one launch does not pay for it";
  EXPECT_EQ(builds_of(*other), 0u);
  first.build->kernels[0]->launched();
  std::this_thread::sleep_for(20ms);
  EXPECT_TRUE(first.build->native->open(1));
  first.build->kernels[0]->launched();
  expect_built_by_itself(*first.build->native);
  // Started once, it is as quick as any.
  const BuildOutcome second = build("another text");
  expect_built_by_itself(*second.build->native);
}

TEST_F(BackgroundBuilds, ASlowStartIsPutOffAfterARepeatedLaunchToo) {
  start_queue(1, 1ms, 1h, 0b10, 1h);
  const BuildOutcome outcome = build();
  ASSERT_NE(outcome.build, nullptr);
  for (int i = 0; i < 5; ++i) outcome.build->kernels[0]->launched();
  std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(outcome.build->native->open(1));
  outcome.build->native->wait(1);  // who needs it does not wait for the queue
  EXPECT_TRUE(outcome.build->native->built(1));
}

TEST_F(BackgroundBuilds, ASlowAnchorIsNotWaitedForAndStaysHome) {
  start_queue(1, 0ms, 0ms);
  anchor_gate.close();
  const BuildOutcome outcome = build();
  ASSERT_NE(outcome.build, nullptr);
  const auto kernel = outcome.build->kernels[0];
  EXPECT_FALSE(kernel->built_on(0));
  EXPECT_TRUE(kernel->built_on(1));
  std::atomic<int> home{-1};
  std::thread asking([&] { home = static_cast<int>(kernel->home()); });
  anchor_gate.wait_for(1);
  EXPECT_EQ(home, -1) << "home is not known before the anchor is";
  anchor_gate.open();
  asking.join();
  EXPECT_EQ(home, 0);
}

TEST_F(BackgroundBuilds, WhereTheAnchorFailsLateHomeIsTheNextAndTheFailureIsTold) {
  const test::TemporaryFolder folder;
  const std::string log = folder.file("log");
  ObserverOptions options;
  options.log = "warn:" + log;
  options.count = true;
  Observer observer(options);
  observer.devices({{"first", "gpu", "icd"}, {"second", "cpu", "icd"}});
  machine.observer = &observer;
  start_queue(1, 0ms, 0ms);
  anchor_gate.close();
  anchor_takes = false;
  BuildOutcome outcome = build();
  ASSERT_NE(outcome.build, nullptr);
  EXPECT_EQ(outcome.log, "") << "it was not known when the build ended";
  publish_outcome(*source("text"), outcome);
  anchor_gate.open();
  EXPECT_EQ(outcome.build->kernels[0]->home(), 1u);
  EXPECT_FALSE(outcome.build->kernels[0]->built_on(0));
  const auto entries = outcome.build->native->record()->entries();
  EXPECT_EQ(entries[0].state, BuildState::failed);
  EXPECT_NE(entries[0].reason.find("refused by first"), std::string::npos) << entries[0].reason;
  EXPECT_EQ(entries[1].state, BuildState::built);
  std::stringstream written;
  written << std::ifstream(log).rdbuf();
  EXPECT_NE(written.str().find("refused by first"), std::string::npos) << written.str();
  const std::string stats = observer.stats_json();
  EXPECT_NE(stats.find("\"late\":true"), std::string::npos) << stats;
  EXPECT_NE(stats.find("\"failed_late\":1"), std::string::npos) << stats;
  bool described = false;
  for (const BuiltProgram& program : built_programs())
    described = described || (program.builds != nullptr && program.builds->entries()[0].state == BuildState::failed);
  EXPECT_TRUE(described);
  outcome = {};
  machine.observer = nullptr;
}

TEST_F(BackgroundBuilds, WhenTheFirstFailsTheNextIsWaitedFor) {
  anchor_takes = false;
  other_gate.close();
  std::atomic<bool> ended{false};
  BuildOutcome outcome;
  std::thread building([&] {
    outcome = build();
    ended = true;
  });
  other_gate.wait_for(1);
  EXPECT_FALSE(ended);
  other_gate.open();
  building.join();
  ASSERT_NE(outcome.build, nullptr);
  EXPECT_NE(outcome.log.find("takes no part: first"), std::string::npos) << outcome.log;
}

TEST_F(BackgroundBuilds, FailsWhenAllHaveFailed) {
  anchor_takes = false;
  other_takes = false;
  const BuildOutcome outcome = build();
  EXPECT_EQ(outcome.build, nullptr);
  EXPECT_EQ(outcome.code, CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(outcome.log.find("failed on first"), std::string::npos) << outcome.log;
  EXPECT_NE(outcome.log.find("failed on second"), std::string::npos) << outcome.log;
}

TEST_F(BackgroundBuilds, AProgramThatIsGivenUpIsNeverBuiltElsewhere) {
  other_gate.close();
  const BuildOutcome first = build("first");
  other_gate.wait_for(1);  // the only thread of the queue
  BuildOutcome second = build("second");
  const auto record = second.build->native->record();
  const auto kernel = second.build->kernels[0];
  second = {};
  EXPECT_EQ(record->entries()[1].state, BuildState::waiting) << "a kernel of it lives";
  BuildOutcome third = build("third");
  const auto gone = third.build->native->record();
  third = {};
  // A thread that has just built for the anchor may hold it for a moment.
  for (int i = 0; i < 3000 && gone->entries()[1].state != BuildState::dropped; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(gone->entries()[1].state, BuildState::dropped);
  other_gate.open();
  kernel->builds().wait(1);
  first.build->native->wait(1);
  queue.reset();  // all its work is done
  machine.builds = nullptr;
  EXPECT_EQ(other->built, (std::vector<std::string>{"rewritten first", "rewritten second"}));
}

TEST_F(BackgroundBuilds, WhoNeedsADeviceBuildsForItWhereAllThreadsAreBusy) {
  other->accepts = [this](const std::string& text) {
    if (text.find("slow") != std::string::npos) other_gate.pass();
    return true;
  };
  other_gate.close();
  const BuildOutcome slow = build("slow");
  other_gate.wait_for(1);
  const BuildOutcome wanted = build("wanted");
  wanted.build->native->wait(1);
  EXPECT_TRUE(wanted.build->kernels[0]->built_on(1));
  EXPECT_FALSE(slow.build->kernels[0]->built_on(1));
  other_gate.open();
}

TEST_F(BackgroundBuilds, NoMoreAtOnceThanAreAllowed) {
  start_queue(2, 0ms, 1h);
  other_gate.close();
  std::vector<BuildOutcome> outcomes;
  for (int i = 0; i < 6; ++i) outcomes.push_back(build("program " + std::to_string(i)));
  other_gate.wait_for(2);
  other_gate.open();
  queue.reset();  // waits for what it has begun; drops the rest
  machine.builds = nullptr;
  EXPECT_LE(other_gate.most(), 2);
  EXPECT_GE(builds_of(*other), 2u);
}

TEST_F(BackgroundBuilds, TheFirstIsNotTheQueuesThoughItsThreadHasNotBegunYet) {
  anchor_gate.close();
  VendorInput input;
  input.text = "text";
  const auto builds = open_builds(machine, input, "hash");
  queue->follow(builds, 0ms);
  builds->wait_for_any();  // a queue with one thread would be in the anchor's
  EXPECT_TRUE(builds->built(1));
  EXPECT_TRUE(builds->open(0));
}

TEST_F(BackgroundBuilds, ASecondLaunchOfAKernelBringsTheOthersForward) {
  start_queue(1, 1h, 1h);
  const BuildOutcome outcome = build();
  const BuildOutcome later = build("another");
  BuiltKernel& kernel = *later.build->kernels[0];
  kernel.launched();
  EXPECT_TRUE(kernel.builds().open(1)) << "a program whose kernels run once is not worth it";
  kernel.launched();
  while (!kernel.built_on(1)) std::this_thread::yield();
  EXPECT_TRUE(outcome.build->native->open(1));
}

TEST_F(BackgroundBuilds, BinariesWaitForWhatIsPending) {
  other_gate.close();
  const BuildOutcome outcome = build();
  other_gate.wait_for(1);
  std::atomic<std::size_t> blobs{0};
  std::thread asking([&] { blobs = collect_blobs(machine, outcome.build->native).size(); });
  std::this_thread::yield();
  EXPECT_EQ(blobs, 0u);
  other_gate.open();
  asking.join();
  EXPECT_EQ(blobs, 2u);
}

}  // namespace
}  // namespace skmd::icd
