// SPDX-License-Identifier: Apache-2.0
// Buffers whose host copies nothing has filled: what plans charge for making their pages, and when that ends.
#include <gtest/gtest.h>

#include "intercept/launch/question.h"
#include "intercept/launch/users.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kItems = kBytes / 4;

/// A device with memory of its own and one in host memory, and a launch over two buffers.
struct World : FakeMachine {
  World() : FakeMachine({true, false}, "auto") {}
  Launch made() { return {add, line(kItems, 64), {whole(y), whole(x), value_of(1u)}}; }
  double charged(std::uint32_t device) {
    const Launch launch = made();
    const LaunchView view(machine, launch);
    return Question(machine, launch, view).request().devices[device].first_use_seconds;
  }
  /// Tells of a launch whose slice on `device` needs these bytes of y and none of x.
  void used(std::uint32_t device, const std::vector<domain::ByteRange>& ranges) {
    const Launch launch = made();
    const LaunchView view(machine, launch);
    auto touches = std::make_shared<SpanFootprint>();
    touches->roots.resize(2);
    touches->needed.resize(2);
    const std::size_t at = view.roots()[0] == y ? 0 : 1;
    for (const domain::ByteRange& range : ranges) touches->needed[at].add(range);
    Decision decision;
    decision.slices = {{device, {0, 1}, touches}};
    tell_users(machine, view, decision);
  }
  std::shared_ptr<BuiltKernel> add = kernel(axpy_traits());
  std::shared_ptr<Storage> x = storage(kBytes), y = storage(kBytes);
};

TEST(FirstTouch, IsChargedToDevicesInHostMemory) {
  World w;
  const double other = w.charged(0), all = w.charged(1);
  EXPECT_NEAR(all - other, 2 * kBytes * 0.1e-9, 1e-9);
  w.x->note_touched(domain::ByteRange{0, kBytes});
  EXPECT_NEAR(w.charged(1) - other, kBytes * 0.1e-9, 1e-9);
  w.y->note_touched(domain::ByteRange{0, kBytes});
  EXPECT_EQ(w.charged(1), other);
}

TEST(FirstTouch, EndsWithASliceThatReachesOverHalfOfTheBuffer) {
  World w;
  w.used(1, {{0, kBytes / 2 - 4}});
  EXPECT_EQ(w.y->untouched_bytes(), kBytes) << "less than half";
  w.used(0, {{0, kBytes}});
  EXPECT_EQ(w.y->untouched_bytes(), kBytes) << "on a device with memory of its own";
  w.used(1, {{64, 68}, {kBytes / 2 + 64, kBytes / 2 + 68}});
  EXPECT_EQ(w.y->untouched_bytes(), 0u) << "two rows, far apart";
  EXPECT_EQ(w.x->untouched_bytes(), kBytes);
}

TEST(FirstTouch, EndsWithALaunchThatRunsInHostMemory) {
  World w;
  w.machine.settings.policy = *domain::parse_policy("single:1", 2);
  ASSERT_EQ(w.launch(w.add, line(kItems, 64), {whole(w.y), whole(w.x), value_of(1u)})->wait(), CL_COMPLETE);
  EXPECT_EQ(w.x->untouched_bytes() + w.y->untouched_bytes(), 0u);
}

}  // namespace
}  // namespace skmd::icd::test
