// SPDX-License-Identifier: Apache-2.0
// Limits of single devices, which may be lower than what the virtual device reports.
#include "intercept/launch/eligibility.h"

#include <gtest/gtest.h>

#include "intercept/launch/launch_view.h"
#include "intercept/object/launch.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kItems = 256;

/// out[i] += table[i] · 2, with the table in constant memory.
struct World : FakeMachine {
  World() : FakeMachine({true, true, true}), table(storage(kItems * 4)), out(storage(kItems * 4)) {}
  std::shared_ptr<Storage> table, out;

  Launch launch_of(bool constant) {
    auto traits = axpy_traits();
    if (constant) traits.parameters[1].kind = domain::ParameterKind::constant_pointer;
    return {kernel(std::move(traits)), line(kItems, 64), {whole(out), whole(table), value_of(2u)}};
  }
  std::vector<bool> eligible(bool constant = true) { return eligibility(machine, launch_of(constant)).eligible; }
  std::string why_not(std::size_t device) { return eligibility(machine, launch_of(true)).why_not[device]; }
};

TEST(Eligibility, ASmallConstantMemoryKeepsADeviceOut) {
  World w;
  w.fakes[1]->answers[CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE] = kItems * 4 - 1;
  w.fakes[2]->answers[CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE] = kItems * 4;
  EXPECT_EQ(w.eligible(), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(w.why_not(1), "a constant buffer of bytes 1024 exceeds the device's 1023");
  EXPECT_EQ(w.eligible(false), (std::vector<bool>{true, true, true})) << "the buffer is not constant";
}

TEST(Eligibility, SoDoesTheNumberOfConstantArguments) {
  World w;
  w.fakes[0]->answers[CL_DEVICE_MAX_CONSTANT_ARGS] = 1;
  EXPECT_EQ(w.eligible(), (std::vector<bool>{true, true, true}));
  auto launch = w.launch_of(true);
  auto traits = axpy_traits();
  traits.parameters[0].kind = traits.parameters[1].kind = domain::ParameterKind::constant_pointer;
  launch.kernel = w.kernel(std::move(traits));
  EXPECT_EQ(eligibility(w.machine, launch).eligible, (std::vector<bool>{false, true, true}));
}

TEST(Eligibility, SoDoTheBytesOfAllArguments) {
  World w;
  constexpr std::uint64_t kBytes = 2 * sizeof(void*) + 4;
  w.fakes[0]->answers[CL_DEVICE_MAX_PARAMETER_SIZE] = kBytes;
  w.fakes[2]->answers[CL_DEVICE_MAX_PARAMETER_SIZE] = kBytes - 1;
  EXPECT_EQ(w.eligible(), (std::vector<bool>{true, true, false}));
  auto launch = w.launch_of(true);
  auto traits = axpy_traits();
  traits.hidden_record = true;  // ours counts
  launch.kernel = w.kernel(std::move(traits));
  EXPECT_EQ(eligibility(w.machine, launch).eligible, (std::vector<bool>{false, true, false}));
}

TEST(Eligibility, WhereFloatsDecideADeviceThatRoundsUnlikeItselfIsLeftOut) {
  World w;
  w.fakes[2]->set_rounds_unlike_itself(true);
  auto launch = w.launch_of(false);
  EXPECT_EQ(eligibility(w.machine, launch).eligible, (std::vector<bool>{true, true, true}));
  auto traits = axpy_traits();
  traits.facts |= domain::kFactFloatDecidesAddress;
  launch.kernel = w.kernel(traits);
  const Eligibility two = eligibility(w.machine, launch);
  EXPECT_EQ(two.eligible, (std::vector<bool>{true, true, false}));
  EXPECT_TRUE(two.alike(w.machine)) << "the launch may be split over the others";
  EXPECT_NE(two.why_not[2].find("may round differently"), std::string::npos) << two.why_not[2];
  w.machine.settings.split_mixed = true;
  EXPECT_EQ(eligibility(w.machine, launch).eligible, (std::vector<bool>{true, true, true}));
  w.machine.settings.split_mixed = false;
  for (auto& fake : w.fakes) fake->set_rounds_unlike_itself(true);
  const Eligibility all = eligibility(w.machine, launch);
  EXPECT_EQ(all.count(), 3u) << "no other device remains";
  EXPECT_FALSE(all.alike(w.machine));
}

TEST(Eligibility, SubBuffersThatOverlapKeepADeviceOutThatDiesOfThem) {
  World w;
  w.fakes[1]->set_overlapping_views(false);
  const auto with = [&](std::uint64_t offset, std::uint64_t size, std::shared_ptr<Storage> root) -> bool {
    auto launch = w.launch_of(false);
    launch.range = line(64, 64);
    launch.arguments[0] = BufferView{w.out, 256, 256};
    launch.arguments[1] = BufferView{std::move(root), offset, size};
    return eligibility(w.machine, launch).eligible[1];
  };
  EXPECT_FALSE(with(384, 256, w.out));
  EXPECT_FALSE(with(256, 512, w.out));
  EXPECT_FALSE(with(128, 129, w.out));
  EXPECT_TRUE(with(256, 256, w.out)) << "the same view twice";
  EXPECT_TRUE(with(512, 256, w.out)) << "side by side";
  EXPECT_TRUE(with(0, 1024, w.out)) << "the whole buffer is none";
  EXPECT_TRUE(with(384, 256, w.table)) << "of two buffers";
}

TEST(Eligibility, WhereNoDeviceHasTheConstantMemoryTheAnchorsDriverDecides) {
  World w;
  for (const auto& fake : w.fakes) fake->answers[CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE] = 16;
  std::vector<bool> anchor(w.fakes.size(), false);
  anchor[w.machine.anchor] = true;
  EXPECT_EQ(w.eligible(), anchor);
  w.fakes[w.machine.anchor]->answers[CL_DEVICE_MAX_MEM_ALLOC_SIZE] = 16;
  EXPECT_EQ(w.eligible(), std::vector<bool>(w.fakes.size(), false)) << "a buffer that it cannot have at all";
}

TEST(Eligibility, LaunchesGoWhereTheyFit) {
  World w;
  w.fakes[1]->answers[CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE] = 16;
  std::vector<std::uint32_t> ones(kItems, 1);
  w.write(w.table, 0, ones.data(), kItems * 4);
  w.write(w.out, 0, ones.data(), kItems * 4);
  const auto launch = w.launch_of(true);
  EXPECT_EQ(w.launch(launch.kernel, launch.range, launch.arguments)->wait(), CL_COMPLETE);
  EXPECT_EQ(w.fakes[1]->counters.groups, 0u);
  EXPECT_EQ(w.fakes[0]->counters.groups + w.fakes[2]->counters.groups, kItems / 64);
  std::vector<std::uint32_t> result(kItems);
  w.read(w.out, 0, result.data(), kItems * 4);
  EXPECT_EQ(result, std::vector<std::uint32_t>(kItems, 3));
}

}  // namespace
}  // namespace skmd::icd::test
