// SPDX-License-Identifier: Apache-2.0
// Groups of several rows, whose sizes are demanded, against the same in C++.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class Rows : public testing::TestWithParam<Way> {
 protected:
  // `source` with its group's size, which `x`, `y` and `z` tell.
  Program program(const std::string& source, unsigned x, unsigned y, unsigned z) const {
    return {"#define SIZE __attribute__((reqd_work_group_size(" + std::to_string(x) + ", " + std::to_string(y) + ", " +
                std::to_string(z) + ")))\n" + source,
            GetParam()};
  }
};

// What one item's loops hand on, also through its own memory; the counter's end comes from a product.
const char* const kLoops = R"(
  kernel SIZE void loops(global int* out, global const int* in, int n) {
    const int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    int a = x + 3 * y, b = z - y, seen[4] = {1, 2, 3, 4};
    for (int i = 0; i < n * (int)get_local_size(2); ++i) {
      const int old = a;
      a = b + in[(i & 3) * 32 + x] * (y + 1);
      b = old ^ i;
      seen[(i + y) & 3] += a;
      seen[i & 3] ^= b;
    }
    const size_t at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    out[at] = a - b + seen[0] + 3 * seen[1] + 5 * seen[2] + 7 * seen[3];
  })";

int expected_of_loops(const std::vector<int>& in, int x, int y, int z, int steps) {
  auto a = static_cast<unsigned>(x + 3 * y), b = static_cast<unsigned>(z - y);
  unsigned seen[4] = {1, 2, 3, 4};
  for (int i = 0; i < steps; ++i) {
    const unsigned old = a;
    a = b + static_cast<unsigned>(in[(i & 3) * 32 + x]) * static_cast<unsigned>(y + 1);
    b = old ^ static_cast<unsigned>(i);
    seen[(i + y) & 3] += a;
    seen[i & 3] ^= b;
  }
  return static_cast<int>(a - b + seen[0] + 3 * seen[1] + 5 * seen[2] + 7 * seen[3]);
}

TEST_P(Rows, HandOnWhatIsTheirs) {
  std::vector<int> in(128);
  for (int i = 0; i < 128; ++i) in[i] = i * 7919 % 1009;
  for (const auto& [x, y, z] : {std::array{16u, 4u, 1u}, {32u, 8u, 2u}, {8u, 6u, 3u}, {20u, 4u, 1u}, {16u, 3u, 1u}}) {
    Program code = program(kLoops, x, y, z);
    const Shape shape{{2, 2, 2}, {x, y, z}, {0, 0, 0}, 3};
    std::vector<int> out(shape.items());
    code.run("loops", shape, Arguments().buffer(out).buffer(in).value(5));
    for (unsigned i = 0; i < out.size(); ++i) {
      const unsigned row = i / (2 * x);
      const int at[] = {static_cast<int>(i % x), static_cast<int>(row % y), static_cast<int>(row / (2 * y) % z)};
      ASSERT_EQ(out[i], expected_of_loops(in, at[0], at[1], at[2], 5 * static_cast<int>(z)))
          << x << " x " << y << " x " << z << ", item " << i;
    }
  }
}

// The products of tiles: sums live across barriers, rows write what others read then.
TEST_P(Rows, MultiplyTiles) {
  Program code = program(R"(
    kernel SIZE void multiply(global const int* a, global const int* b, global int* c, int n) {
      local int as[16][17], bs[16][17];
      const int x = get_local_id(0), y = get_local_id(1);
      const int row = get_global_id(1), column = get_global_id(0);
      int sum = 0;
      for (int k = 0; k < n; k += 16) {
        as[y][x] = a[row * n + k + x];
        bs[y][x] = b[(k + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 16; ++i) sum += as[y][i] * bs[i][x];
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      c[row * n + column] = sum;
    })",
                         16, 16, 1);
  constexpr unsigned n = 48;
  std::vector<int> a(n * n), b(n * n), c(n * n), expected(n * n);
  for (unsigned i = 0; i < n * n; ++i) {
    a[i] = static_cast<int>(i * 31 % 101);
    b[i] = static_cast<int>(i * 57 % 103) - 50;
  }
  for (unsigned y = 0; y < n; ++y)
    for (unsigned x = 0; x < n; ++x)
      for (unsigned k = 0; k < n; ++k) expected[y * n + x] += a[y * n + k] * b[k * n + x];
  code.run("multiply", {{n / 16, n / 16, 1}, {16, 16, 1}, {0, 0, 0}, 2},
           Arguments().buffer(a).buffer(b).buffer(c).value(static_cast<int>(n)));
  EXPECT_EQ(c, expected);
}

// How long a row goes on is the row's own: by its number, and by what it reads.
TEST_P(Rows, LeaveLoopsAtDifferentTimes) {
  Program code = program(R"(
    kernel SIZE void leave(global int* out, global const int* ends) {
      const int x = get_local_id(0), y = get_local_id(1);
      int sum = 0;
      for (int i = 0; i <= y; ++i) sum += (i + 1) * (x + 1);
      for (int i = 0; i < ends[y]; ++i) sum = sum * 3 + i;
      out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
    })",
                         16, 8, 1);
  std::vector<int> ends{3, 0, 7, 1, 5, 2, 9, 4};
  const Shape shape{{2, 1, 1}, {16, 8, 1}, {0, 0, 0}, 2};
  std::vector<int> out(shape.items());
  code.run("leave", shape, Arguments().buffer(out).buffer(ends));
  for (unsigned i = 0; i < out.size(); ++i) {
    const int x = static_cast<int>(i % 16), y = static_cast<int>(i / 32);
    int sum = 0;
    for (int k = 0; k <= y; ++k) sum += (k + 1) * (x + 1);
    for (int k = 0; k < ends[y]; ++k) sum = sum * 3 + k;
    ASSERT_EQ(out[i], sum) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Rows, testing::ValuesIn(ways_of("Rows")),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
