// SPDX-License-Identifier: Apache-2.0
// SKMD_PARTITION=paper over devices whose times are made up.
#include <gtest/gtest.h>

#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kGroups = 64, kLocal = 16, kMillisecond = 1'000'000;

TEST(PaperMode, IsEqualAtFirstAndThenByTheDecisionTree) {
  FakeMachine m({true, true}, "paper");
  m.fakes[0]->ns_per_group = kMillisecond;
  m.fakes[1]->ns_per_group = 3 * kMillisecond;
  const auto x = m.storage(kGroups * kLocal * 4), y = m.storage(kGroups * kLocal * 4);
  const auto kernel = m.kernel(axpy_traits());
  const auto run = [&] {
    const std::uint64_t before = m.fakes[0]->counters.groups;
    EXPECT_EQ(m.launch(kernel, line(kGroups * kLocal, kLocal), {whole(y), whole(x), value_of(1u)})->wait(),
              CL_COMPLETE);
    return m.fakes[0]->counters.groups - before;
  };
  EXPECT_EQ(run(), kGroups / 2);
  run();  // first uses are forgotten, so that a second sample of each device may be needed
  EXPECT_EQ(run(), kGroups * 3 / 4);
  EXPECT_EQ(m.fakes[0]->counters.groups + m.fakes[1]->counters.groups, 3 * kGroups);
}

}  // namespace
}  // namespace skmd::icd::test
