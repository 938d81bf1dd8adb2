// SPDX-License-Identifier: Apache-2.0
// Merge functions as skmd-compile makes them, run on host memory.
#include <gtest/gtest.h>

#include <climits>

#include "tests/cpu-driver/runtime/kernel_code.h"

namespace skmd::cpu::test {
namespace {

constexpr std::uint32_t kOld = 0xAAAAAAAA;

class MergeFunction : public testing::Test {
 protected:
  /// The merge function of the kernel `k` in `source`.
  SpanFunction of(const std::string& source) {
    auto loaded = SpanLibrary::load(span_code_of(source), "");
    EXPECT_TRUE(loaded.ok()) << loaded.error().reason;
    if (!loaded) return nullptr;
    library_ = std::move(*loaded);
    return library_->find(merge_symbol("k"));
  }
  std::unique_ptr<SpanLibrary> library_;
};

TEST_F(MergeFunction, TakesWhatItsGroupsStoredAndLeavesTheRest) {
  const SpanFunction k =
      of("__kernel void k(__global float* out, __global const float* in, __global const uint* where) {"
         "  uint i = get_global_id(0); out[where[i]] = sqrt(in[i]); }");
  ASSERT_NE(k, nullptr);
  std::vector<std::uint32_t> out(64, kOld), result(64), where(32);
  for (std::uint32_t i = 0; i < 64; ++i) result[i] = i;
  for (std::uint32_t i = 0; i < 32; ++i) where[i] = i * 13 % 64;
  const SpanArgument arguments[] = {merged(out, result), {}, whole(where)};
  SpanFrame frame = line(8, 4);
  frame.arguments = arguments;
  k(&frame, 3, 6);
  std::vector<std::uint32_t> expected(64, kOld);
  for (std::uint32_t i = 12; i < 24; ++i) expected[where[i]] = where[i];
  EXPECT_EQ(out, expected);
}

TEST_F(MergeFunction, AnEmptySpanStoresNothing) {
  const SpanFunction k = of("__kernel void k(__global uint* out) { out[get_global_id(0) / 2] = 1; }");
  ASSERT_NE(k, nullptr);
  std::vector<std::uint32_t> out(8, kOld), result(8, 1);
  const SpanArgument arguments[] = {merged(out, result)};
  SpanFrame frame = line(4, 4);
  frame.arguments = arguments;
  k(&frame, 2, 2);
  EXPECT_EQ(out, std::vector<std::uint32_t>(8, kOld));
}

TEST_F(MergeFunction, NeverLeavesItsBuffers) {
  const SpanFunction k =
      of("__kernel void k(__global uint* out, __global const int* where) {"
         "  int i = get_global_id(0); out[where[i]] = i; }");
  ASSERT_NE(k, nullptr);
  // `out` ends after 8 of 16 elements, `where` after 5 of 8: what is not there counts as 0.
  std::vector<std::uint32_t> out(16, kOld), result(16, 1);
  std::vector<std::int32_t> where = {7, -1, 8, INT_MAX, INT_MIN, 3, 4, 5};
  SpanArgument arguments[] = {merged(out, result), whole(where)};
  arguments[0].size = 8 * sizeof(std::uint32_t);
  arguments[1].size = 5 * sizeof(std::uint32_t);
  SpanFrame frame = line(8, 1);
  frame.arguments = arguments;
  k(&frame, 0, 8);
  std::vector<std::uint32_t> expected(16, kOld);
  expected[7] = expected[0] = 1;
  EXPECT_EQ(out, expected);
}

TEST_F(MergeFunction, AnElementAcrossTheEndIsNotStored) {
  const SpanFunction k = of("__kernel void k(__global ulong* out) { out[get_global_id(0) * 2 % 8] = 1; }");
  ASSERT_NE(k, nullptr);
  std::vector<std::uint32_t> out(8, kOld), result(8, 1);
  SpanArgument arguments[] = {merged(out, result)};
  arguments[0].size = 5 * sizeof(std::uint32_t);  // two and a half elements
  SpanFrame frame = line(4, 1);
  frame.arguments = arguments;
  k(&frame, 0, 4);
  EXPECT_EQ(out, (std::vector<std::uint32_t>{1, 1, kOld, kOld, kOld, kOld, kOld, kOld}));
}

TEST_F(MergeFunction, NullBuffersAreSafe) {
  const SpanFunction k =
      of("__kernel void k(__global uint* out, __global const uint* in) { if (in) out[in[get_global_id(0)] * 2] = 1; }");
  ASSERT_NE(k, nullptr);
  const SpanArgument arguments[] = {{}, {}};
  SpanFrame frame = line(4, 4);
  frame.arguments = arguments;
  k(&frame, 0, 4);
}

TEST_F(MergeFunction, DivisionsThatTrapDoNot) {
  const SpanFunction k =
      of("__kernel void k(__global uint* out, __global const int* by, int least) {"
         "  int i = get_global_id(0); int q = least / by[i], r = least % by[i]; uint u = 7u / (uint)by[i];"
         "  out[((uint)q + (uint)r + u) % 8u] = 1; }");
  ASSERT_NE(k, nullptr);
  std::vector<std::uint32_t> out(8, kOld), result(8, 1);
  std::vector<std::int32_t> by = {0, -1, 1, 0, -1};
  Value least(INT_MIN);
  const SpanArgument arguments[] = {merged(out, result), whole(by), least.argument()};
  SpanFrame frame = line(5, 1);
  frame.arguments = arguments;
  k(&frame, 0, 5);
  EXPECT_EQ(out[(0x80000000u + 7u) % 8u], 1u);  // by 1; the others only have to come back
}

TEST_F(MergeFunction, AnswersQueriesAboutTheWholeLaunch) {
  const SpanFunction k =
      of("__kernel void k(__global uint* out, __global const uint* where) {"
         "  uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);"
         "  uint by_group = (get_group_id(1) * get_local_size(1) + get_local_id(1)) * get_num_groups(0) * "
         "get_local_size(0)"
         "                  + get_group_id(0) * get_local_size(0) + get_local_id(0);"
         "  if (by_group == y * get_global_size(0) + x && get_work_dim() == 2 && get_global_size(2) == 1 && "
         "get_group_id(2) == 0)"
         "    out[where[by_group]] = 1; }");
  ASSERT_NE(k, nullptr);
  std::vector<std::uint32_t> out(48, kOld), result(48), where(48);
  for (std::uint32_t i = 0; i < 48; ++i) {
    result[i] = i;
    where[i] = 47 - i;
  }
  const SpanArgument arguments[] = {merged(out, result), whole(where)};
  SpanFrame frame;
  frame.work_dim = 2;
  frame.global_offset[0] = 100;
  frame.global_offset[1] = 7;
  frame.global_size[0] = 8;
  frame.global_size[1] = 6;
  frame.local_size[0] = 2;
  frame.local_size[1] = 3;
  frame.group_count[0] = 4;
  frame.group_count[1] = 2;
  frame.arguments = arguments;
  k(&frame, 3, 6);  // the last group of the first row and the first two of the second
  std::vector<std::uint32_t> expected(48, kOld);
  for (std::uint32_t group = 3; group < 6; ++group)
    for (std::uint32_t y = 0; y < 3; ++y)
      for (std::uint32_t x = 0; x < 2; ++x) {
        const std::uint32_t place = 47 - ((group / 4 * 3 + y) * 8 + group % 4 * 2 + x);
        expected[place] = place;
      }
  EXPECT_EQ(out, expected);
}

TEST_F(MergeFunction, AThreeVectorLeavesTheFourthElement) {
  const SpanFunction k =
      of("__kernel void k(__global uint3* out, uint n) { out[get_global_id(0) * 3 % n] = (uint3)(1, 2, 3); }");
  ASSERT_NE(k, nullptr);
  std::vector<std::uint32_t> out(16, kOld), result(16, 5);
  Value n(4u);
  const SpanArgument arguments[] = {merged(out, result), n.argument()};
  SpanFrame frame = line(4, 1);
  frame.arguments = arguments;
  k(&frame, 0, 4);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(out[i], i % 4 == 3 ? kOld : 5u) << i;
}

}  // namespace
}  // namespace skmd::cpu::test
