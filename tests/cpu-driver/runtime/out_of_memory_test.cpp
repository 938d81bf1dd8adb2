// SPDX-License-Identifier: Apache-2.0
// Memory that runs out while the driver looks at its host: each allocation in turn. That nothing is lost then is what
// LeakSanitizer says of the process at its end. An executable of its own, since it replaces operator new.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <new>

#include "cpu-driver/runtime/pool.h"
#include "cpu-driver/runtime/processors.h"
#include "tests/faults/allocations.h"

namespace skmd::cpu::test {
namespace {

/// The executable is the first object of its process, and has no name there.
constexpr const char* kThisExecutable = "";

/// How often `body` threw, which is once for each of its allocations.
std::size_t failures_of(const std::function<void()>& body) {
  constexpr std::size_t kMost = 100000;
  for (std::size_t n = 1; n < kMost; ++n) {
    skmd::test::watch_allocations(kThisExecutable, n);
    try {
      body();
      skmd::test::watch_allocations(kThisExecutable, 0);
      return n - 1;
    } catch (const std::bad_alloc&) {
      skmd::test::watch_allocations(kThisExecutable, 0);
    }
  }
  return kMost;
}

TEST(OutOfMemory, LosesNothingOfTheAffinityMask) {
  EXPECT_GT(failures_of([] { (void)affinity(); }), 0u);
}

TEST(OutOfMemory, LosesNothingOfTheTopology) {
  EXPECT_GT(failures_of([] { (void)this_topology(); }), 0u);
}

TEST(OutOfMemory, LosesNothingOfAPool) {
  EXPECT_GT(failures_of([] { const Pool pool; }), 0u);
}

}  // namespace
}  // namespace skmd::cpu::test
