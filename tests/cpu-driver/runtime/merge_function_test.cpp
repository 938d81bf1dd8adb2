// SPDX-License-Identifier: Apache-2.0
// Merge functions as skmd-compile makes them, run on host memory: what they store and what they leave.
#include <gtest/gtest.h>

#include <climits>
#include <numeric>
#include <random>

#include "tests/cpu-driver/runtime/merging.h"

namespace skmd::cpu::test {
namespace {

constexpr std::uint32_t kOld = 0xAAAAAAAA;

INSTANTIATE_TEST_SUITE_P(BothWays, Merging, testing::ValuesIn(kMergeWays), name_of);

TEST_P(Merging, TakesWhatItsGroupsStoredAndLeavesTheRest) {
  ASSERT_TRUE(
      compile("__kernel void k(__global float* out, __global const float* in, __global const uint* where) {"
              "  uint i = get_global_id(0); out[where[i]] = sqrt(in[i]); }"));
  std::vector<std::uint32_t> out(64, kOld), result(64), where(32);
  for (std::uint32_t i = 0; i < 64; ++i) result[i] = i;
  for (std::uint32_t i = 0; i < 32; ++i) where[i] = i * 13 % 64;
  const SpanArgument arguments[] = {merged(out, result), {}, whole(where)};
  SpanFrame frame = line(8, 4);
  replay(frame, arguments, 3, 6);
  std::vector<std::uint32_t> expected(64, kOld);
  for (std::uint32_t i = 12; i < 24; ++i) expected[where[i]] = where[i];
  EXPECT_EQ(out, expected);
}

TEST_P(Merging, AnEmptySpanStoresNothing) {
  ASSERT_TRUE(compile("__kernel void k(__global uint* out) { out[get_global_id(0) / 2] = 1; }"));
  std::vector<std::uint32_t> out(8, kOld), result(8, 1);
  const SpanArgument arguments[] = {merged(out, result)};
  SpanFrame frame = line(4, 4);
  replay(frame, arguments, 2, 2);
  EXPECT_EQ(out, std::vector<std::uint32_t>(8, kOld));
}

TEST_P(Merging, NeverLeavesItsBuffers) {
  ASSERT_TRUE(
      compile("__kernel void k(__global uint* out, __global const int* where) {"
              "  int i = get_global_id(0); out[where[i]] = i; }"));
  // `out` ends after 8 of 16 elements, `where` after 5 of 8: what is not there counts as 0.
  std::vector<std::uint32_t> out(16, kOld), result(16, 1);
  std::vector<std::int32_t> where = {7, -1, 8, INT_MAX, INT_MIN, 3, 4, 5};
  SpanArgument arguments[] = {merged(out, result), whole(where)};
  arguments[0].size = 8 * sizeof(std::uint32_t);
  arguments[1].size = 5 * sizeof(std::uint32_t);
  SpanFrame frame = line(8, 1);
  replay(frame, arguments, 0, 8);
  std::vector<std::uint32_t> expected(16, kOld);
  expected[7] = expected[0] = 1;
  EXPECT_EQ(out, expected);
}

TEST_P(Merging, AnElementAcrossTheEndIsNotStored) {
  ASSERT_TRUE(compile("__kernel void k(__global ulong* out) { out[get_global_id(0) * 2 % 8] = 1; }"));
  std::vector<std::uint32_t> out(8, kOld), result(8, 1);
  SpanArgument arguments[] = {merged(out, result)};
  arguments[0].size = 5 * sizeof(std::uint32_t);  // two and a half elements
  SpanFrame frame = line(4, 1);
  replay(frame, arguments, 0, 4);
  EXPECT_EQ(out, (std::vector<std::uint32_t>{1, 1, kOld, kOld, kOld, kOld, kOld, kOld}));
}

TEST_P(Merging, NullBuffersAreSafe) {
  ASSERT_TRUE(compile(
      "__kernel void k(__global uint* out, __global const uint* in) { if (in) out[in[get_global_id(0)] * 2] = 1; }"));
  const SpanArgument arguments[] = {{}, {}};
  SpanFrame frame = line(4, 4);
  replay(frame, arguments, 0, 4);
}

TEST_P(Merging, DivisionsThatTrapDoNot) {
  ASSERT_TRUE(
      compile("__kernel void k(__global uint* out, __global const int* by, int least) {"
              "  int i = get_global_id(0); int q = least / by[i], r = least % by[i]; uint u = 7u / (uint)by[i];"
              "  out[((uint)q + (uint)r + u) % 8u] = 1; }"));
  std::vector<std::uint32_t> out(8, kOld), result(8, 1);
  std::vector<std::int32_t> by = {0, -1, 1, 0, -1};
  Value least(INT_MIN);
  const SpanArgument arguments[] = {merged(out, result), whole(by), least.argument()};
  SpanFrame frame = line(5, 1);
  replay(frame, arguments, 0, 5);
  EXPECT_EQ(out[(0x80000000u + 7u) % 8u], 1u);  // by 1; the others only have to come back
}

TEST_P(Merging, AnswersQueriesAboutTheWholeLaunch) {
  ASSERT_TRUE(
      compile("__kernel void k(__global uint* out, __global const uint* where) {"
              "  uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);"
              "  uint by_group = (get_group_id(1) * get_local_size(1) + get_local_id(1)) * get_num_groups(0) * "
              "get_local_size(0)"
              "                  + get_group_id(0) * get_local_size(0) + get_local_id(0);"
              "  if (by_group == y * get_global_size(0) + x && get_work_dim() == 2 && get_global_size(2) == 1 && "
              "get_group_id(2) == 0)"
              "    out[where[by_group]] = 1; }"));
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
  replay(frame, arguments, 3, 6);  // the last group of the first row and the first two of the second
  std::vector<std::uint32_t> expected(48, kOld);
  for (std::uint32_t group = 3; group < 6; ++group)
    for (std::uint32_t y = 0; y < 3; ++y)
      for (std::uint32_t x = 0; x < 2; ++x) {
        const std::uint32_t place = 47 - ((group / 4 * 3 + y) * 8 + group % 4 * 2 + x);
        expected[place] = place;
      }
  EXPECT_EQ(out, expected);
}

TEST_P(Merging, AThreeVectorLeavesTheFourthElement) {
  for (const std::string value : {"(uint3)(1, 2, 3)", "(uint3)(0)", "(uint3)(7)", "(uint3)(n, 2, n)"}) {
    ASSERT_TRUE(
        compile("__kernel void k(__global uint3* out, uint n) { out[get_global_id(0) * 3 % n] = " + value + "; }"));
    std::vector<std::uint32_t> out(16, kOld), result(16, 5);
    Value n(4u);
    const SpanArgument arguments[] = {merged(out, result), n.argument()};
    replay(line(4, 1), arguments, 0, 4);
    for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(out[i], i % 4 == 3 ? kOld : 5u) << value << i;
  }
}

TEST_P(Merging, AConstantFourVectorIsStoredWhole) {
  ASSERT_TRUE(compile("__kernel void k(__global uint4* out, uint n) { out[get_global_id(0) * 3 % n] = 1; }"));
  EXPECT_EQ(k_.units[0], 16);
  std::vector<std::uint32_t> out(16, kOld), result(16, 5);
  Value n(4u);
  const SpanArgument arguments[] = {merged(out, result), n.argument()};
  replay(line(4, 1), arguments, 0, 4);
  EXPECT_EQ(out, std::vector<std::uint32_t>(16, 5));
}

TEST_P(Merging, JoinsWhatAllThreadsHaveMarked) {
  ASSERT_TRUE(
      compile("__kernel void k(__global uint* out, __global const uint* where) {"
              "  uint i = get_global_id(0); out[where[i]] = i; }"));
  EXPECT_EQ(k_.units[0], 4);
  EXPECT_EQ(k_.units[1], 0);
  constexpr std::uint32_t kPlaces = 1u << 17;
  std::vector<std::uint32_t> where(kPlaces);
  std::iota(where.begin(), where.end(), 0u);
  std::shuffle(where.begin(), where.end(), std::mt19937(5));
  Bytes bytes(kPlaces * 4);
  const SpanArgument arguments[] = {merged(bytes.out, bytes.result), whole(where)};
  const std::uint64_t first = 100;
  const std::uint64_t last = kPlaces / 64 - 1000;
  replay(line(kPlaces / 64, 64), arguments, first, last);
  for (std::uint64_t i = first * 64; i < last * 64; ++i) bytes.stored(where[i] * std::size_t{4}, 4);
  EXPECT_EQ(bytes.out, bytes.expected);
}

TEST_P(Merging, StoresOfSeveralSizesShareABuffer) {
  ASSERT_TRUE(
      compile("__kernel void k(__global uchar* out, uint n) {"
              "  uint i = get_global_id(0); uint at = i * 389 % n * 16;"
              "  if (i % 3 == 0) *(__global uint4*)(out + at) = (uint4)(i);"
              "  else if (i % 3 == 1) { *(__global ushort*)(out + at + 2) = i; *(__global ulong*)(out + at + 8) = i; }"
              "  else out[at + 15] = i; }"));
  EXPECT_EQ(k_.units[0], 1);
  constexpr std::uint32_t kItems = 4096;
  Bytes bytes(kItems * 16);
  Value n(kItems);
  const SpanArgument arguments[] = {merged(bytes.out, bytes.result), n.argument()};
  replay(line(kItems / 16, 16), arguments, 0, kItems / 16);
  for (std::uint32_t i = 0; i < kItems; ++i) {
    const std::size_t at = i * 389 % kItems * std::size_t{16};
    if (i % 3 == 0) bytes.stored(at, 16);
    if (i % 3 == 1) bytes.stored(at + 2, 2), bytes.stored(at + 8, 8);
    if (i % 3 == 2) bytes.stored(at + 15, 1);
  }
  EXPECT_EQ(bytes.out, bytes.expected);
}

TEST_P(Merging, UnalignedAndOverlappingStoresCoverTheirBytes) {
  ASSERT_TRUE(
      compile("typedef struct __attribute__((packed)) { uchar tag; uint value; ulong more; } Record;"
              "__kernel void k(__global uchar* out, uint n) {"
              "  uint i = get_global_id(0); __global Record* r = (__global Record*)(out + i * 389 % n * 7);"
              "  r->value = i; r->more = i; }"));
  EXPECT_EQ(k_.units[0], 1);
  constexpr std::uint32_t kItems = 1024;
  Bytes bytes(kItems * 7 + 6);
  Value n(kItems);
  const SpanArgument arguments[] = {merged(bytes.out, bytes.result), n.argument()};
  replay(line(kItems / 16, 16), arguments, 0, kItems / 32);
  for (std::uint32_t i = 0; i < kItems / 2; ++i) bytes.stored(i * 389 % kItems * std::size_t{7} + 1, 12);
  EXPECT_EQ(bytes.out, bytes.expected);
}

TEST_P(Merging, WideElementsAndTheRestOfABuffer) {
  ASSERT_TRUE(
      compile("typedef struct { float16 a; uint b[8]; } Wide;"
              "__kernel void k(__global Wide* out, uint n) {"
              "  uint i = get_global_id(0); Wide w; w.a = i; for (int j = 0; j < 8; ++j) w.b[j] = j;"
              "  out[i * 389 % n] = w; }"));
  EXPECT_EQ(k_.units[0] & (k_.units[0] - 1), 0);
  EXPECT_GE(k_.units[0], 4);
  constexpr std::uint32_t kItems = 100;
  Bytes bytes(kItems * 128);
  Value n(kItems + 1);  // one of the places may be past the end
  SpanArgument arguments[] = {merged(bytes.out, bytes.result), n.argument()};
  replay(line(kItems, 1), arguments, 0, kItems);
  for (std::uint32_t i = 0; i < kItems; ++i) {
    const std::size_t at = i * 389 % (kItems + 1) * std::size_t{128};
    if (at < bytes.out.size()) bytes.stored(at, 96);
  }
  for (std::size_t i = 0; i < bytes.out.size(); ++i)
    EXPECT_TRUE(i % 128 >= 96 || bytes.out[i] == bytes.expected[i]) << i;
}

TEST_P(Merging, CopiesOfAnyLengthEndWithTheBuffer) {
  ASSERT_TRUE(
      compile("__kernel void k(__global uint* out, __local uint* tile, uint each, uint n) {"
              "  uint g = get_group_id(0) ^ 1;"
              "  event_t e = async_work_group_copy(out + g * each, tile, n, 0); wait_group_events(1, &e); }"));
  constexpr std::uint32_t kEach = 150;
  for (const std::uint32_t n : {0u, 1u, 63u, 64u, 150u}) {
    Bytes bytes(kEach * 4 * 4 - 40);
    Value each(kEach);
    Value count(n);
    const SpanArgument arguments[] = {merged(bytes.out, bytes.result), {}, each.argument(), count.argument()};
    replay(line(4, 2), arguments, 0, 3);  // groups 1, 0 and 3, which does not fit
    for (const std::size_t g : {1, 0, 3})
      for (std::size_t i = g * kEach; i < g * kEach + n; ++i)
        if (i * 4 + 4 <= bytes.out.size()) bytes.stored(i * 4, 4);
    EXPECT_EQ(bytes.out, bytes.expected) << n;
  }
}

}  // namespace
}  // namespace skmd::cpu::test
