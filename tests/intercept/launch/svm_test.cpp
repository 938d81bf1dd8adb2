// SPDX-License-Identifier: Apache-2.0
// Launches with shared virtual memory: who can take them, and what they count as touching.
#include <gtest/gtest.h>

#include "intercept/launch/eligibility.h"
#include "intercept/launch/frozen_launch.h"
#include "intercept/launch/make_launch.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kItems = 256;
constexpr std::uint64_t kBytes = kItems * 4;

/// Two devices with memory of their own, one in the host's.
struct World : FakeMachine {
  explicit World(const std::vector<bool>& discrete = {true, false, true}) : FakeMachine(discrete) {}
  std::shared_ptr<Storage> svm(std::uint64_t bytes = kBytes) { return *Storage::create_shared(machine, bytes); }
  static BufferView at(const std::shared_ptr<Storage>& storage, std::uint64_t offset) {
    return {storage, offset, storage->bytes() - offset, offset};
  }
  std::shared_ptr<BuiltKernel> follower(std::uint32_t fact = domain::kFactPointerInMemory) {
    auto traits = axpy_traits();
    traits.facts |= fact;
    return kernel(std::move(traits));
  }
  Launch launch_of(std::shared_ptr<BuiltKernel> built, const BufferView& y, const BufferView& x) {
    return {std::move(built), line(kItems, 64), {y, x, value_of(2u)}};
  }
};

TEST(SvmLaunch, DirectArgumentsAreSplitLikeAnyOther) {
  World w;
  const auto y = w.svm(), x = w.svm();
  std::vector<std::uint32_t> ones(kItems, 1), seen(kItems);
  w.write(y, 0, ones.data(), kBytes);
  w.write(x, 0, ones.data(), kBytes);
  const auto kernel = w.kernel(axpy_traits());
  const Launch launch = w.launch_of(kernel, whole(y), whole(x));
  EXPECT_EQ(eligibility(w.machine, launch).eligible, (std::vector<bool>{true, true, true}));
  w.launch(kernel, launch.range, launch.arguments)->wait();
  for (const auto& fake : w.fakes) EXPECT_GT(fake->counters.groups, 0u);
  w.read(y, 0, seen.data(), kBytes);
  EXPECT_EQ(seen, std::vector<std::uint32_t>(kItems, 3));
}

TEST(SvmLaunch, WhoeverFollowsPointersRunsInTheHostsMemory) {
  World w;
  const auto y = w.svm(), plain = w.storage(kBytes);
  for (const std::uint32_t fact : {domain::kFactPointerInMemory, domain::kFactDeviceSpecificCode}) {
    const auto kernel = w.follower(fact);
    const auto with_svm = eligibility(w.machine, w.launch_of(kernel, whole(y), whole(plain)));
    EXPECT_EQ(with_svm.eligible, (std::vector<bool>{false, true, false}));
    EXPECT_EQ(with_svm.why_not[0],
              "the kernel may follow pointers in shared virtual memory, and the device has memory of its own");
    const auto without = eligibility(w.machine, w.launch_of(kernel, whole(plain), whole(plain)));
    EXPECT_EQ(without.eligible, (std::vector<bool>{true, true, true})) << "there is nothing to find";
    Launch listed = w.launch_of(kernel, whole(plain), whole(plain));
    listed.reached.push_back(y);
    EXPECT_EQ(eligibility(w.machine, listed).eligible, (std::vector<bool>{false, true, false}));
  }
}

TEST(SvmLaunch, IsRefusedWhereNobodyCan) {
  World w({true, true});
  const auto y = w.svm(), x = w.svm();
  const auto made = make_launch(w.machine, w.launch_of(w.follower(), whole(y), whole(x)));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, CL_INVALID_OPERATION);
  EXPECT_NE(made.error().reason.find("may follow pointers in shared virtual memory"), std::string::npos);
  EXPECT_TRUE(make_launch(w.machine, w.launch_of(w.kernel(axpy_traits()), whole(y), whole(x))));
}

TEST(SvmLaunch, StateIsNotLeftBehind) {
  World w;
  const auto y = w.svm();
  const auto kernel = w.follower(domain::kFactPointerInMemory | domain::kFactMutableProgramScope);
  const auto eligible = eligibility(w.machine, w.launch_of(kernel, whole(y), whole(y)));
  EXPECT_EQ(eligible.count(), 0u) << "program-scope variables are on device 0, which has memory of its own";
  EXPECT_NE(eligible.why_not[1].find("program-scope variables are elsewhere"), std::string::npos);
}

TEST(SvmLaunch, EveryByteInReachCounts) {
  World w;
  const auto y = w.svm(4 * kBytes), plain = w.storage(4 * kBytes), other = w.svm(kBytes);
  Launch launch = w.launch_of(w.follower(), World::at(y, kBytes), whole(plain));
  launch.reached.push_back(other);
  const FrozenLaunch frozen(w.machine, launch);
  const auto& roots = frozen.view().whole().roots;
  ASSERT_EQ(roots.size(), 3u);
  EXPECT_EQ(roots[0].reads, domain::RangeSet(domain::ByteRange{0, 4 * kBytes}));
  EXPECT_EQ(roots[0].may_write, domain::RangeSet(domain::ByteRange{0, 4 * kBytes}));
  EXPECT_EQ(roots[1].reads, domain::RangeSet(domain::ByteRange{0, kBytes})) << "an argument like any other";
  EXPECT_TRUE(roots[1].may_write.empty());
  EXPECT_EQ(roots[2].reads, domain::RangeSet(domain::ByteRange{0, kBytes}));
  EXPECT_EQ(roots[2].may_write, domain::RangeSet(domain::ByteRange{0, kBytes}));
  EXPECT_EQ(frozen.claims().size(), 5u);
  EXPECT_EQ(frozen.view().shape().confined(), domain::NotSplit::pointer_in_memory);
}

TEST(SvmLaunch, APlaceInTheMiddleHasToSuitAVendor) {
  World w;
  const auto y = w.svm(4 * kBytes), x = w.svm(4 * kBytes);
  w.fakes[0]->answers[CL_DEVICE_MEM_BASE_ADDR_ALIGN] = 1024;
  w.fakes[2]->answers[CL_DEVICE_MEM_BASE_ADDR_ALIGN] = 512;
  const auto kernel = w.kernel(axpy_traits());
  const auto at = [&](std::uint64_t offset) {
    return eligibility(w.machine, w.launch_of(kernel, whole(y), World::at(x, offset))).eligible;
  };
  EXPECT_EQ(at(0), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(at(128), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(at(64), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(at(4), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(at(4 * kBytes), (std::vector<bool>{false, true, false})) << "no byte, no view";
}

/// y[i] = x[i - 1], which may lie before the pointer.
domain::KernelTraits back_traits() {
  TraitsBuilder b("axpy");  // a name that the fakes know; nothing is run
  b.buffer().buffer();
  b.access(domain::AccessKind::write, 0, b.global_id(0), 4);
  b.access(domain::AccessKind::read, 1, b.op(domain::Op::sub, b.global_id(0), b.constant(1)), 4);
  return b.take();
}

TEST(SvmLaunch, BytesBeforeThePointerAreReached) {
  World w;
  const auto y = w.svm(), x = w.svm(2 * kBytes);
  Launch launch{w.kernel(back_traits()), line(kItems, 64), {whole(y), World::at(x, 64)}};
  const FrozenLaunch frozen(w.machine, launch);
  EXPECT_EQ(frozen.view().whole().roots[1].reads, domain::RangeSet(domain::ByteRange{60, 60 + kBytes}));
  EXPECT_EQ(frozen.view().whole().roots[0].must_write, domain::RangeSet(domain::ByteRange{0, kBytes}));
  EXPECT_EQ(frozen.view().shape().confined(), std::nullopt);
  // If written there, it could not be merged by replaying.
  Launch written{w.kernel(back_traits()), line(kItems, 64), {World::at(x, 64), whole(y)}};
  EXPECT_EQ(FrozenLaunch(w.machine, written).view().shape().confined(), std::nullopt) << "from the pointer on";
  auto traits = back_traits();
  traits.merge_loads = {1};
  Launch loaded{w.kernel(std::move(traits)), line(kItems, 64), {whole(y), World::at(x, 64)}};
  EXPECT_EQ(FrozenLaunch(w.machine, loaded).view().shape().confined(), domain::NotSplit::unmergeable);
}

}  // namespace
}  // namespace skmd::icd::test
