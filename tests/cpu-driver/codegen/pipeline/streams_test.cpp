// SPDX-License-Identifier: Apache-2.0
// Launches with more results than are kept in caches, whole and from places that are no line's beginning.
#include <gtest/gtest.h>

#include <vector>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class Streams : public testing::TestWithParam<Way> {};

TEST_P(Streams, LargeResultsAreAllThere) {
  Program program(R"(
    kernel void add(global const int* a, global int* c, int from) {
      const size_t i = get_global_id(0);
      c[from + i] = a[i] + (int)i;
    })",
                  GetParam());
  constexpr std::size_t kItems = std::size_t{5} << 20, kMargin = 64;  // 20 MiB of results
  std::vector<int> a(kItems, 3);
  for (const int from : {16, 0, 5, 1}) {
    std::vector<int> c(kItems + kMargin, -1);
    program.run("add", line(kItems / 256, 256), Arguments().buffer(a).buffer(c).value(from), 7000);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const std::size_t item = i - static_cast<std::size_t>(from);  // wraps before the first
      wrong += c[i] != (item < kItems ? static_cast<int>(item) + 3 : -1);
    }
    EXPECT_EQ(wrong, 0u) << "from " << from;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Streams, testing::ValuesIn(all_ways()),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
