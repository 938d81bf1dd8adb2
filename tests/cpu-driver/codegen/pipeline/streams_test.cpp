// SPDX-License-Identifier: Apache-2.0
// Launches with more results than are kept in caches, whole and from places that are no line's beginning.
#include <gtest/gtest.h>

#include <array>
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

TEST_P(Streams, FewItemsHaveManyResults) {
  Program program(R"(
    kernel void turns(global int* c, int from, int stride, int n) {
      const int item = get_global_id(0);
      for (int i = 0; i < n; ++i) c[from + item + i * stride] = item + 2000 * i;
    })",
                  GetParam());
  constexpr int kItems = 1040, kMargin = 64;  // the last vector is no whole one in wide lanes
  for (const auto& [from, stride, n] : {std::array{0, 1040, 5000}, {16, 1056, 5000}, {5, 1040, 5000}, {0, 1040, 3}}) {
    std::vector<int> c(static_cast<std::size_t>(stride) * static_cast<std::size_t>(n) + kMargin, -1);
    program.run("turns", line(kItems / 104, 104), Arguments().buffer(c).value(from).value(stride).value(n), 3);
    std::size_t wrong = 0;
    for (int i = 0; i < static_cast<int>(c.size()); ++i) {
      const int at = i - from, item = at % stride, turn = at / stride;
      const bool written = at >= 0 && turn < n && item < kItems;
      wrong += c[static_cast<std::size_t>(i)] != (written ? item + 2000 * turn : -1);
    }
    EXPECT_EQ(wrong, 0u) << "from " << from << ", " << n << " turns";
  }
}

TEST_P(Streams, AGridStridesOverMoreThanItHasItems) {
  Program program(R"(
    kernel void stride(global const int* a, global int* c, int n) {
      for (int i = get_global_id(0); i < n; i += get_global_size(0)) c[i] = a[i] + i;
    })",
                  GetParam());
  constexpr int kNumbers = (5 << 20) + 77;
  std::vector<int> a(kNumbers, 3), c(kNumbers, -1);
  program.run("stride", line(16, 256), Arguments().buffer(a).buffer(c).value(kNumbers), 5);
  std::size_t wrong = 0;
  for (int i = 0; i < kNumbers; ++i) wrong += c[static_cast<std::size_t>(i)] != i + 3;
  EXPECT_EQ(wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(Every, Streams, testing::ValuesIn(ways_of("Streams")),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
