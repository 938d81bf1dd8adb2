// SPDX-License-Identifier: Apache-2.0
// Kernels that cannot tell their groups, over groups and spans of every size, against the same in C++.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class JoinedGroups : public testing::TestWithParam<Way> {};

TEST_P(JoinedGroups, RunEachItemOnce) {
  Program program(R"(
    kernel void place(global ulong* out, global uint* runs) {
      const size_t x = get_global_id(0) - 3, y = get_global_id(1), z = get_global_id(2) - 5;
      const size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
      out[i] = get_global_id(0) + 1000 * (get_global_id(1) + 1000 * get_global_id(2)) + get_group_id(1) * 7 +
               get_local_id(2) * 11;
      runs[i] += 1;
    })",
                  GetParam());
  for (const Shape& shape : {Shape{{100, 1, 1}, {1, 1, 1}, {3, 0, 5}, 1}, Shape{{7, 1, 1}, {5, 1, 1}, {3, 0, 5}, 1},
                             Shape{{5, 3, 2}, {1, 1, 1}, {3, 0, 5}, 3}, Shape{{3, 4, 2}, {20, 1, 1}, {3, 0, 5}, 3},
                             Shape{{3, 2, 2}, {6, 2, 1}, {3, 0, 5}, 3}, Shape{{4, 2, 2}, {1, 1, 3}, {3, 0, 5}, 3}})
    for (const std::uint64_t span : {1ull, 2ull, 7ull, ~0ull}) {
      std::vector<std::uint64_t> out(shape.items());
      std::vector<unsigned> runs(shape.items());
      program.run("place", shape, Arguments().buffer(out).buffer(runs), span);
      const std::uint64_t size[] = {shape.groups[0] * shape.local[0], shape.groups[1] * shape.local[1]};
      for (std::uint64_t i = 0; i < out.size(); ++i) {
        const std::uint64_t x = i % size[0], y = i / size[0] % size[1], z = i / size[0] / size[1];
        const std::uint64_t rest = y / shape.local[1] * 7 + z % shape.local[2] * 11;
        ASSERT_EQ(out[i], x + 3 + 1000 * (y + 1000 * (z + 5)) + rest) << "item " << i << ", spans of " << span;
        ASSERT_EQ(runs[i], 1u) << "item " << i << ", spans of " << span;
      }
    }
}

// Local memory is each group's own, whether or not there is a barrier.
TEST_P(JoinedGroups, AreNotThoseThatShareMemory) {
  Program program(R"(
    kernel void last(global int* out, local int* l) {
      l[0] = get_global_id(0);
      out[get_global_id(0)] = l[0];
    })",
                  GetParam());
  const Shape shape = line(50, 1);
  std::vector<int> out(50), expected(50);
  std::iota(expected.begin(), expected.end(), 0);
  program.run("last", shape, Arguments().buffer(out).local(4));
  EXPECT_EQ(out, expected);
}

INSTANTIATE_TEST_SUITE_P(Every, JoinedGroups, testing::ValuesIn(ways_of("JoinedGroups")),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
