// SPDX-License-Identifier: Apache-2.0
// Memory that runs out while the driver looks at its host: each allocation in turn. That nothing is lost then is what
// LeakSanitizer says of the process at its end. An executable of its own, since it replaces operator new.
#include <gtest/gtest.h>

#include "cpu-driver/runtime/pool.h"
#include "cpu-driver/runtime/processors.h"
#include "tests/faults/allocations.h"

namespace skmd::cpu::test {
namespace {

using skmd::test::fail_each_allocation;

TEST(OutOfMemory, LosesNothingOfTheAffinityMask) {
  EXPECT_GT(fail_each_allocation("", [] { (void)affinity(); }), 0u);
}

TEST(OutOfMemory, LosesNothingOfTheTopology) {
  EXPECT_GT(fail_each_allocation("", [] { (void)this_topology(); }), 0u);
}

TEST(OutOfMemory, LosesNothingOfAPool) {
  EXPECT_GT(fail_each_allocation("", [] { const Pool pool; }), 0u);
}

}  // namespace
}  // namespace skmd::cpu::test
