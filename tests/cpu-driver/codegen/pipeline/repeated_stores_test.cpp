// SPDX-License-Identifier: Apache-2.0
// Items that store the same to one place, many of them or none, against the same in C++.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class RepeatedStores : public testing::TestWithParam<Way> {};

constexpr std::size_t kItems = 500;

/// What is there before, and what items store; which of them do.
template <class T>
void store(const Way& way, const std::string& type, T before, T number) {
  Program program("typedef " + type + R"( T;
    kernel void k(global const int* in, global T* out, T number, int at) {
      const int i = get_global_id(0);
      if (in[i] < 0) {
        out[at] = number;
        out[at + 2 + i] = number;
      }
    })",
                  way);
  for (const std::size_t one_in : {std::size_t{1}, std::size_t{7}, kItems - 1, kItems + 1}) {
    std::vector<int> in(kItems);
    std::vector<T> out(kItems + 5, before);
    std::vector<T> expected = out;
    for (std::size_t i = 1; i < kItems; ++i) {
      if (i % one_in != 0) continue;
      in[i] = -1;
      expected[3] = expected[5 + i] = number;
    }
    program.run("k", line(kItems / 50, 50), Arguments().buffer(in).buffer(out).value(number).value(3), 3);
    EXPECT_EQ(std::memcmp(out.data(), expected.data(), sizeof(T) * out.size()), 0) << type << ", one in " << one_in;
  }
}

TEST_P(RepeatedStores, AreThereOnceAndNowhereElse) {
  store<std::int8_t>(GetParam(), "char", 0, -3);
  store<std::int16_t>(GetParam(), "short", 1, 257);
  store<std::int32_t>(GetParam(), "int", 7, 7);
  store<std::int64_t>(GetParam(), "long", 0, std::int64_t{1} << 40);
  store<float>(GetParam(), "float", 0.0f, -0.0f);
  store<double>(GetParam(), "double", 1.0, std::numeric_limits<double>::quiet_NaN());
}

// The last to store decides, items in order: one by one, not in vectors, since the loop says so.
TEST_P(RepeatedStores, TwoNumbersTakeTurns) {
  Program program(R"(
    kernel void k(global int* out, int n) {
      if (get_global_id(0) != 0) return;
      for (int i = 0; i < n; ++i) {
        if (i % 3 == 0) out[0] = 1;
        if (i % 3 == 1) out[0] = 2;
        if (out[0] == 1) ++out[1];
      }
    })",
                  GetParam());
  for (const int n : {1, 2, 3, 4, 100}) {
    std::vector<int> out = {0, 0}, expected = {0, 0};
    for (int i = 0; i < n; ++i) {
      if (i % 3 == 0) expected[0] = 1;
      if (i % 3 == 1) expected[0] = 2;
      expected[1] += expected[0] == 1;
    }
    program.run("k", line(2, 32), Arguments().buffer(out).value(n), 2);
    EXPECT_EQ(out, expected) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, RepeatedStores, testing::ValuesIn(ways_of("RepeatedStores")),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
