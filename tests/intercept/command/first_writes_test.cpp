// SPDX-License-Identifier: Apache-2.0
// Where writes before a process's first launch go.
#include "tests/intercept/command/command_fixture.h"

namespace skmd::icd::test {
namespace {

/// Bytes that a write before the first launch sends to the anchor.
class FirstWrites : public Commands {
 protected:
  FirstWrites() {
    devices[0]->set_kind(DeviceKind::gpu);
    machine.settings.policy.mode = domain::PartitionMode::automatic;
  }
  std::uint64_t sent(std::uint64_t bytes) {
    auto root = storage(bytes);
    Bytes source(bytes);
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::uint8_t>(i * 2654435761u >> 24);
    const std::uint64_t before = devices[0]->counters.bytes_to;
    EXPECT_EQ(write(root, 0, source), CL_COMPLETE);
    const std::uint64_t after = devices[0]->counters.bytes_to;
    EXPECT_EQ(read(root), source);
    return after - before;
  }
  static constexpr std::uint64_t kLarge = std::uint64_t{4} << 20;
};

TEST_F(FirstWrites, GoToTheGpuThatTheFirstLaunchIsExpectedOn) {
  EXPECT_EQ(sent(kLarge), kLarge);
  EXPECT_EQ(sent(kLarge + 3), kLarge + 3);
  EXPECT_EQ(sent(kLarge - 1), 0u);
}

TEST_F(FirstWrites, StayHereOnceALaunchUsedHostMemory) {
  storage(64)->usage().used_on(std::nullopt);
  EXPECT_EQ(sent(kLarge), 0u);
}

TEST_F(FirstWrites, StayHereWhileTheGpuHasNoContext) {
  devices[0]->has_context = false;
  EXPECT_EQ(sent(kLarge), 0u);
}

TEST_F(FirstWrites, StayHereWhereTheAnchorIsNoGpu) {
  devices[0]->set_kind(DeviceKind::cpu);
  EXPECT_EQ(sent(kLarge), 0u);
}

TEST_F(FirstWrites, StayHereWhileTheAnchorIsStopped) {
  machine.stopped = 1;
  EXPECT_EQ(sent(kLarge), 0u);
}

TEST_F(FirstWrites, StayHereInModesThatGiveEveryDeviceItsShare) {
  machine.settings.policy.mode = domain::PartitionMode::equal;
  EXPECT_EQ(sent(kLarge), 0u);
}

TEST_F(FirstWrites, TouchTheHostsCopyWhereTheyStayHere) {
  auto root = storage(kLarge);
  EXPECT_EQ(root->untouched_bytes(), kLarge);
  EXPECT_EQ(write(root, 0, Bytes(kLarge, 1)), CL_COMPLETE);
  EXPECT_EQ(root->untouched_bytes(), kLarge) << "they went to the device";
  EXPECT_EQ(write(root, 0, Bytes(64, 2)), CL_COMPLETE);
  EXPECT_EQ(root->untouched_bytes(), kLarge) << "a small part";
  root->usage().used_on(std::nullopt);
  EXPECT_EQ(write(root, 0, Bytes(kLarge / 2, 2)), CL_COMPLETE);
  EXPECT_EQ(root->untouched_bytes(), 0u);
  const Bytes given(256, 4);
  const auto made = *Storage::create(machine, given.size(), nullptr, reinterpret_cast<const std::byte*>(given.data()));
  EXPECT_EQ(made->untouched_bytes(), 0u) << "filled when it was made";
  Bytes own(64, 3);
  EXPECT_EQ(buffer(64, reinterpret_cast<std::byte*>(own.data()))->storage()->untouched_bytes(), 0u);
}

}  // namespace
}  // namespace skmd::icd::test
