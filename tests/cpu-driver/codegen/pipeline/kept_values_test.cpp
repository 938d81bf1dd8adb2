// SPDX-License-Identifier: Apache-2.0
// Values of types that no source has and compilers make, kept across barriers.
#include <gtest/gtest.h>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class KeptValues : public testing::TestWithParam<Way> {};

// What a shift to and fro drops need not be counted: the loop's counter of bytes has 26 bits. A vector of such numbers
// has no room between them, while every item has whole bytes.
TEST_P(KeptValues, HaveAnyNumberOfBits) {
  Program program(R"(
    kernel void columns(global uchar* out, int columns, int rows, int step) {
      const int x = get_local_id(0);
      for (int first = 1; first < columns; first += 16) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (first + x < columns) {
          int at = mad24(4, first + x, 0);
          for (int row = 0; row < rows; ++row, at += step) *(global int*)(out + at) = 100 * row + first + x;
        }
      }
    })",
                  GetParam());
  for (const int columns : {17, 33, 40}) {
    const int rows = 5, width = columns + 3;
    std::vector<int> out(static_cast<std::size_t>(rows * width), -1), expected = out;
    for (int row = 0; row < rows; ++row)
      for (int column = 1; column < columns; ++column) expected[row * width + column] = 100 * row + column;
    program.run("columns", line(1, 16), Arguments().buffer(out).value(columns).value(rows).value(4 * width));
    EXPECT_EQ(out, expected) << columns << " columns";
  }
}

INSTANTIATE_TEST_SUITE_P(Every, KeptValues, testing::ValuesIn(ways_of("KeptValues")),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
