// SPDX-License-Identifier: Apache-2.0
// Rounds of a write and a launch, of which the application writes all that the launch reads: where a split begins.
#include "intercept/launch/postponed_split.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "intercept/command/transfer.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/object/kernel.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kItems = kBytes / 4, kLocal = 64, kGroups = kItems / kLocal;
using Words = std::vector<std::uint32_t>;

/// Two devices behind links of 8 GB/s, each of which takes so many nanoseconds for a group.
class Application : public FakeMachine {
 public:
  explicit Application(std::uint64_t ns_per_group, bool second_apart = true)
      : FakeMachine({true, second_apart}, "auto") {
    for (const auto& fake : fakes) fake->times = [=](const Batch& batch) { return times_of(batch, ns_per_group); };
    for (int i = 0; i < 8; ++i)  // both are known, so that none is tried
      for (std::uint32_t device = 0; device < 2; ++device)
        machine.model->learn({sums->id(),
                              device,
                              line(kItems, kLocal),
                              {0, kGroups},
                              ns_per_group * kGroups * (device == 0 || second_apart ? 1 : 100),
                              false,
                              {},
                              0});
  }
  void write() {
    Words words(kItems, ++value_);
    const HostBox box{reinterpret_cast<std::byte*>(words.data()), 0, 0};
    auto command = make_write(x, RectRegion::linear(0, kBytes), box);
    ASSERT_EQ(queue->enqueue(CL_COMMAND_WRITE_BUFFER, std::move(command), {})->wait(), CL_COMPLETE);
  }
  void run() {
    const auto items = static_cast<std::uint32_t>(kItems);
    ASSERT_EQ(launch(sums, line(kItems, kLocal), {whole(y), whole(x), value_of(items)})->wait(), CL_COMPLETE);
  }
  /// Rounds of former processes on the first and on the second device.
  void remember(double first, double second) {
    const Launch launch{sums, line(kItems, kLocal), {whole(y), whole(x), value_of(static_cast<std::uint32_t>(kItems))}};
    const LaunchView view(machine, launch);
    const std::vector<domain::RoundTimes::Former> former{{1, {first, 100, 100}}, {2, {second, 100, 100}}};
    view.shape().rounds().remember(former);
  }
  struct Round {
    std::uint64_t sent = 0;  // bytes, by the launch
    bool split = false;
  };
  Round round() {
    write();
    for (const auto& fake : fakes) fake->counters.bytes_to = fake->counters.groups = 0;
    run();
    return {fakes[0]->counters.bytes_to + fakes[1]->counters.bytes_to,
            fakes[0]->counters.groups != 0 && fakes[1]->counters.groups != 0};
  }
  /// The first of many rounds that is split.
  Round first_split() {
    for (int i = 0; i < 60; ++i)
      if (const Round one = round(); one.split) return one;
    return {};
  }
  [[nodiscard]] bool is_right() {
    Words words(kItems);
    read(y, 0, words.data(), kBytes);
    return words == Words(kItems, 3 * value_);
  }

  std::shared_ptr<BuiltKernel> sums = kernel(stencil_traits());
  std::shared_ptr<Storage> x = storage(kBytes), y = storage(kBytes);

 private:
  std::uint32_t value_ = 0;
};

TEST(PostponedSplit, BeginsWithTheBytesOfTheNextWriteWhereMovingTheseCostsMoreThanItGains) {
  Application a(
      5);  // halves of the bytes take 0.25 ms less; half of them to the other device and pages for these, 0.33
  const auto first = a.first_split();
  EXPECT_TRUE(first.split);
  EXPECT_LT(first.sent, kBytes / 8) << "a few that the second device's slice had not";
  EXPECT_TRUE(a.round().split);
  EXPECT_TRUE(a.is_right());
}

TEST(PostponedSplit, DoesNotWaitWhereItGainsMore) {
  for (const std::uint64_t ns : {100, 2000}) {  // 0.8 ms less in halves, and 16
    Application a(ns);
    const auto first = a.first_split();
    EXPECT_TRUE(first.split);
    EXPECT_GE(first.sent, kBytes / 4) << "half of the bytes were on the other device";
    EXPECT_TRUE(a.is_right());
  }
}

// Of which only the first is a candidate for whole launches.
TEST(PostponedSplit, BeginsWithTheNextWriteAlsoOverDevicesOfOneMake) {
  Application a(5);
  domain::DeviceModel gpu;
  gpu.likeness = 7;
  for (const std::uint32_t device : {0u, 1u}) a.model.set_device(device, gpu);
  const auto first = a.first_split();
  EXPECT_TRUE(first.split);
  EXPECT_LT(first.sent, kBytes / 8);
  EXPECT_TRUE(a.is_right());
}

// The second device uses host memory. It looks slower, and is followed since former rounds were shorter there.
TEST(PostponedSplit, SoDoesAnotherDeviceForTheWholeLaunch) {
  Application a(5, false);
  a.remember(0.5, 0.1);
  EXPECT_FALSE(a.round().split);
  EXPECT_EQ(a.fakes[0]->counters.groups, kGroups) << "the first round is where the model wants it";
  bool moved = false;
  for (int i = 0; i < 20 && !moved; ++i) {
    a.write();
    for (const auto& fake : a.fakes) fake->counters.bytes_from = fake->counters.groups = 0;
    a.run();
    moved = a.fakes[1]->counters.groups == kGroups;
    EXPECT_TRUE(moved || a.fakes[0]->counters.groups == kGroups);
    EXPECT_LT(a.fakes[0]->counters.bytes_from, kBytes / 8) << "round " << i;
    EXPECT_TRUE(a.is_right());
  }
  EXPECT_TRUE(moved);
  EXPECT_TRUE(a.is_right());
}

}  // namespace
}  // namespace skmd::icd::test
