// SPDX-License-Identifier: Apache-2.0
// Devices are stopped and started, launches are moved and suspended, while launches run: every byte is as if nothing
// had been asked.
#include <gtest/gtest.h>

#include <atomic>

#include "intercept/launch/make_launch.h"
#include "intercept/memory/bytes.h"
#include "intercept/memory/range_lock.h"
#include "intercept/object/kernel.h"
#include "tests/intercept/control/world.h"

namespace skmd::icd::test {
namespace {

const Words kSum = axpy_of(ramp(5000), ramp(0));

TEST(Stopping, ADeviceGivesBackWhatItAloneHas) {
  ControlledWorld w({true, true});
  ASSERT_EQ(w.axpy()->wait(), CL_COMPLETE);
  ASSERT_EQ(w.groups(0), kGroups);
  EXPECT_EQ(w.machine.memory.usage(0).sole_bytes, kItems * 4) << "what the launch wrote";
  const std::string answer = w.ask("stop\t0");
  EXPECT_TRUE(is_ok(answer)) << answer;
  EXPECT_TRUE(has(answer, "\"fetched_bytes\":4096")) << answer;
  EXPECT_EQ(w.machine.memory.usage(0).bytes, 0u);
  EXPECT_EQ(w.contents(w.y), kSum);
}

TEST(Stopping, LaunchesGoElsewhereUntilItIsStarted) {
  ControlledWorld w({true, true});
  ASSERT_EQ(w.axpy()->wait(), CL_COMPLETE);
  ASSERT_TRUE(is_ok(w.ask("stop\t0")));
  EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
  EXPECT_EQ(w.groups(0), kGroups);
  EXPECT_EQ(w.groups(1), kGroups);
  ASSERT_TRUE(is_ok(w.ask("start\t0")));
  EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
  EXPECT_EQ(w.groups(0), 2 * kGroups);
  EXPECT_EQ(w.groups(1), kGroups);
  EXPECT_EQ(w.contents(w.y), axpy_of(axpy_of(kSum, ramp(0)), ramp(0)));
}

TEST(Stopping, LaunchesThatWereFrozenBeforeGoElsewhere) {
  ControlledWorld w({true, true});
  const Ref<Event> gate = make_object<Event>(w.context, nullptr, CL_COMMAND_USER, w.executor);
  auto command = make_launch(w.machine, {w.add, line(kItems, 64), {whole(w.y), whole(w.x), value_of(2u)}});
  ASSERT_TRUE(command.ok());
  const Ref<Event> event = w.queue->enqueue(CL_COMMAND_NDRANGE_KERNEL, *command, {gate});
  ASSERT_TRUE(is_ok(w.ask("stop\t0")));
  gate->complete(CL_COMPLETE);
  EXPECT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_EQ(w.groups(0), 0u);
  EXPECT_EQ(w.groups(1), kGroups);
  EXPECT_EQ(w.contents(w.y), kSum);
}

/// A launch half way, on devices with a memory of their own and in the host's, that can be stopped in either way.
TEST(Stopping, ARunningLaunchGoesOnElsewhere) {
  for (const std::vector<bool>& discrete :
       {std::vector<bool>{true, true}, {false, false}, {false, true}, {true, false}})
    for (const StopForm form : {StopForm::group, StopForm::cut}) {
      ControlledWorld w(discrete, "single:0", form);
      w.fakes[0]->set_kind(DeviceKind::gpu);  // a CPU that is given pieces first has to be known to be slow
      w.fakes[0]->answers[CL_DEVICE_MAX_COMPUTE_UNITS] = 0;
      auto answer = w.ask_at(0, 3, "stop\t0");
      EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
      EXPECT_TRUE(form == StopForm::cut || w.groups(0) == 3) << w.groups(0);
      EXPECT_EQ(w.groups(0) + w.groups(1), kGroups) << "each group runs once";
      const std::string said = answer.get();
      EXPECT_TRUE(is_ok(said)) << said;
      EXPECT_EQ(w.machine.memory.usage(0).bytes, 0u);
      EXPECT_EQ(w.contents(w.y), kSum);
    }
}

TEST(Stopping, WhatCannotBeStoppedIsWaitedFor) {
  ControlledWorld w({true, true});
  w.machine.settings.preempt.mode = PreemptMode::off;
  auto answer = w.ask_at(0, 3, "stop\t0");
  EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
  EXPECT_EQ(w.groups(0), kGroups);
  EXPECT_TRUE(is_ok(answer.get()));
  EXPECT_EQ(w.machine.memory.usage(0).bytes, 0u);
  EXPECT_EQ(w.contents(w.y), kSum);
}

TEST(Stopping, AKernelThatMayNotMoveEndsWhereItIs) {
  ControlledWorld w({true, true});
  domain::KernelTraits traits = axpy_traits();
  traits.facts |= domain::kFactDeviceSpecificCode;
  w.add = w.kernel(traits);
  auto answer = w.ask_at(0, 3, "stop\t0");
  EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
  EXPECT_EQ(w.groups(0), kGroups);
  EXPECT_TRUE(is_ok(answer.get()));
  EXPECT_EQ(w.machine.memory.usage(0).bytes, 0u);
  EXPECT_EQ(w.contents(w.y), kSum);
}

TEST(Stopping, WritesDoNotGoToAStoppedDevice) {
  ControlledWorld w({true, true});
  constexpr std::uint64_t kLarge = std::uint64_t{4} << 20;
  const auto large = w.storage(kLarge);
  ASSERT_EQ(w.launch(w.add, line(kItems, 64), {whole(large), whole(w.x), value_of(2u)})->wait(), CL_COMPLETE);
  const std::vector<std::byte> bytes(kLarge, std::byte{7});
  const auto write = [&] {
    const RangeLock lock = RangeLock::take({claim_on(large, domain::ByteRange{0, kLarge}, true)});
    EXPECT_TRUE(write_bytes(*large, 0, bytes.data(), kLarge).ok());
  };
  write();
  EXPECT_NE(w.machine.memory.usage(0).sole_bytes, 0u) << "the device that used it last gets it";
  ASSERT_TRUE(is_ok(w.ask("stop\t0")));
  write();
  EXPECT_EQ(w.machine.memory.usage(0).bytes, 0u);
  std::vector<std::byte> back(kLarge);
  w.read(large, 0, back.data(), kLarge);
  EXPECT_EQ(back, bytes);
}

TEST(Moving, WhatIsLeftOfALaunchGoesOnOnTheDevice) {
  for (const bool discrete : {true, false}) {
    ControlledWorld w({discrete, discrete});
    auto answer = w.ask_at(0, 5, "move\taxpy\t1");
    EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
    EXPECT_EQ(w.groups(0), 5u);
    EXPECT_EQ(w.groups(1), kGroups - 5);
    const std::string said = answer.get();
    EXPECT_TRUE(is_ok(said)) << said;
    EXPECT_TRUE(has(said, "\"groups\":11")) << said;
    EXPECT_EQ(w.contents(w.y), kSum);
    w.fakes[0]->on_group = nullptr;
    EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
    EXPECT_EQ(w.groups(1), kGroups - 5) << "once";
  }
}

TEST(Suspending, ALaunchWaitsHalfWayAndNothingIsLeftOnDevices) {
  for (const std::vector<bool>& discrete : {std::vector<bool>{true, true}, {false, true}}) {
    ControlledWorld w(discrete);
    auto answer = w.ask_at(0, 5, "suspend");
    const Ref<Event> event = w.axpy();
    const std::string said = answer.get();
    EXPECT_TRUE(is_ok(said)) << said;
    EXPECT_EQ(w.groups(0), 5u);
    for (std::uint32_t device = 0; device < 2; ++device) {
      EXPECT_EQ(w.machine.memory.usage(device).bytes, 0u);
      EXPECT_FALSE(w.x->has_native(device) || w.y->has_native(device));
    }
    const Ref<Event> later = w.axpy();
    EXPECT_FALSE(event->ended() || later->ended());
    EXPECT_TRUE(has(w.ask("status"), "\"suspended\":true"));
    w.fakes[0]->on_group = nullptr;
    ASSERT_TRUE(is_ok(w.ask("resume")));
    EXPECT_EQ(event->wait(), CL_COMPLETE);
    EXPECT_EQ(later->wait(), CL_COMPLETE);
    EXPECT_EQ(w.groups(0), 2 * kGroups);
    EXPECT_EQ(w.contents(w.y), axpy_of(kSum, ramp(0)));
  }
}

/// All commands in turns while launches come one after another, split in every way.
TEST(Stopping, NoByteDependsOnWhatIsAsked) {
  for (const std::vector<bool>& discrete : {std::vector<bool>{true, true}, {false, true}, {true, false, true}})
    for (const char* policy : {"equal", "auto", "dynamic", "single:1"})
      for (const StopForm form : {StopForm::group, StopForm::cut}) {
        ControlledWorld w(discrete, policy, form);
        const auto scatter = w.kernel(scatter_traits());
        std::atomic<bool> over{false};
        std::thread asker([&] {
          const std::string last = std::to_string(discrete.size() - 1);
          while (!over)
            for (const char* order :
                 {"stop\t0", "status", "move\taxpy\t", "start\t0", "suspend", "stop\t", "resume", "start\t"}) {
              const std::string line = std::string(order) + (std::string(order).back() == '\t' ? last : "");
              (void)w.ask(line);
            }
        });
        Words y = ramp(5000);
        for (int i = 0; i < 12; ++i) {
          EXPECT_EQ(w.axpy()->wait(), CL_COMPLETE);
          y = axpy_of(y, ramp(0));
          EXPECT_EQ(w.launch(scatter, line(kItems, 64), {whole(w.filled(ramp(0))), whole(w.x)})->wait(), CL_COMPLETE);
        }
        over = true;
        asker.join();
        EXPECT_EQ(w.contents(w.y), y) << policy;
      }
}

}  // namespace
}  // namespace skmd::icd::test
