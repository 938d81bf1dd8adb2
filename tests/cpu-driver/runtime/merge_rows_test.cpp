// SPDX-License-Identifier: Apache-2.0
// Merge functions of kernels that store rows, by the items' ids or in loops of their own: what is inside the buffers,
// all of it.
#include <gtest/gtest.h>

#include "tests/cpu-driver/runtime/merging.h"

namespace skmd::cpu::test {
namespace {

class MergingRows : public Merging {};

INSTANTIATE_TEST_SUITE_P(BothWays, MergingRows, testing::ValuesIn(kMergeWays), name_of);

TEST_P(MergingRows, AMovingPointerKeepsItsUnit) {
  ASSERT_TRUE(
      compile("__kernel void k(__global ushort* out, uint steps) {"
              "  __global ushort* p = out + (get_global_id(0) ^ 1) * 12;"
              "  for (uint i = 0; i < steps; ++i) { *p = i; p += 3; } }"));
  EXPECT_EQ(k_.units[0], 2);
  for (const std::uint32_t steps : {0u, 1u, 4u}) {
    Bytes bytes(64 * 24);
    Value value(steps);
    const SpanArgument arguments[] = {merged(bytes.out, bytes.result), value.argument()};
    replay(line(8, 8), arguments, 1, 7);
    for (std::size_t item = 8; item < 56; ++item)
      for (std::size_t i = 0; i < steps; ++i) bytes.stored(((item ^ 1) * 12 + i * 3) * 2, 2);
    EXPECT_EQ(bytes.out, bytes.expected) << steps;
  }
}

/// out[f(i)] for the items of a launch that may leave the buffer at both ends.
TEST_P(MergingRows, RowsThatLeaveTheBufferOrWrapStoreWhatIsInside) {
  ASSERT_TRUE(
      compile("__kernel void k(__global uint* a, __global uint* b, __global const uint* in) {"
              "  uint x = get_global_id(0); int y = get_global_id(1);"
              "  a[x + in[0]] = 1; b[y * (int)in[1] + (int)x] = 2; }"));
  constexpr std::size_t kPlaces = 200;
  for (const std::uint32_t base : {0u, 3u, 190u, 0xFFFFFFF8u, 0x80000000u}) {
    for (const std::int32_t step : {0, 64, 61, -5, 0x7FFFFFF0}) {
      Bytes a(kPlaces * 4);
      Bytes b(kPlaces * 4);
      std::vector<std::uint32_t> in = {base, static_cast<std::uint32_t>(step)};
      const SpanArgument arguments[] = {merged(a.out, a.result), merged(b.out, b.result), whole(in)};
      SpanFrame frame;
      frame.work_dim = 2;
      frame.global_size[0] = 64;
      frame.global_size[1] = 4;
      frame.local_size[0] = 32;
      frame.local_size[1] = 2;
      frame.group_count[0] = 2;
      frame.group_count[1] = 2;
      replay(frame, arguments, 0, 3);
      for (std::uint32_t y = 0; y < 4; ++y)
        for (std::uint32_t x = 0; x < 64; ++x) {
          if (x >= 32 && y >= 2) continue;  // the fourth group
          if (const std::uint32_t at = x + base; at < kPlaces) a.stored(at * std::size_t{4}, 4);
          const auto at = static_cast<std::int32_t>(y * static_cast<std::uint32_t>(step) + x);
          if (at >= 0 && at < static_cast<std::int32_t>(kPlaces)) b.stored(static_cast<std::size_t>(at) * 4, 4);
        }
      EXPECT_EQ(a.out, a.expected) << base;
      EXPECT_EQ(b.out, b.expected) << step;
    }
  }
}

TEST_P(MergingRows, LoopsOfTheKernelStoreTheirRows) {
  ASSERT_TRUE(
      compile("__kernel void k(__global ushort* out, __global const uint* where, uint n) {"
              "  uint at = where[get_global_id(0)];"
              "  for (uint i = 0; i < n; ++i) { out[at + i] = i; out[at + 128 + 2 * i] = i; } "
              "  for (uint i = 0; i < n; ++i) if (i % 3) out[at + 64 + i] = i; }"));
  for (const std::uint32_t n : {0u, 1u, 7u, 8u, 9u, 40u}) {
    Bytes bytes(16 * 512);
    std::vector<std::uint32_t> where(16);
    for (std::uint32_t i = 0; i < 16; ++i) where[i] = i * 7 % 16 * 256;
    Value times(n);
    const SpanArgument arguments[] = {merged(bytes.out, bytes.result), whole(where), times.argument()};
    replay(line(8, 2), arguments, 1, 6);
    for (std::size_t item = 2; item < 12; ++item)
      for (std::size_t i = 0; i < n; ++i) {
        bytes.stored((where[item] + i) * 2, 2);
        bytes.stored((where[item] + 128 + 2 * i) * 2, 2);
        if (i % 3 != 0) bytes.stored((where[item] + 64 + i) * 2, 2);
      }
    EXPECT_EQ(bytes.out, bytes.expected) << n;
  }
}

TEST_P(MergingRows, RowsOfSeveralBuffersAndWidths) {
  ASSERT_TRUE(
      compile("__kernel void k(__global uint4* a, __global uchar* b, __global const uint* where, uint pitch) {"
              "  int x = get_global_id(0), y = where[get_global_id(1)];"
              "  a[y * pitch + x] = x; vstore3((uchar3)(1, 2, 3), y * (int)pitch + x, b); }"));
  constexpr std::uint32_t kPitch = 48;
  Bytes a(kPitch * 16 * 16);
  Bytes b(kPitch * 16 * 3 - 20);
  std::vector<std::uint32_t> where(16);
  for (std::uint32_t i = 0; i < 16; ++i) where[i] = i * 5 % 16;
  Value pitch(kPitch);
  const SpanArgument arguments[] = {merged(a.out, a.result), merged(b.out, b.result), whole(where), pitch.argument()};
  SpanFrame frame;
  frame.work_dim = 2;
  frame.global_size[0] = 40;
  frame.global_size[1] = 16;
  frame.local_size[0] = 10;
  frame.local_size[1] = 4;
  frame.group_count[0] = 4;
  frame.group_count[1] = 4;
  replay(frame, arguments, 2, 14);
  for (std::size_t group = 2; group < 14; ++group)
    for (std::size_t item = 0; item < 40; ++item) {
      const std::size_t at = where[group / 4 * 4 + item / 10] * kPitch + group % 4 * 10 + item % 10;
      a.stored(at * 16, 16);
      for (std::size_t i = 0; i < 3; ++i)
        if (at * 3 + i < b.out.size()) b.stored(at * 3 + i, 1);
    }
  EXPECT_EQ(a.out, a.expected);
  EXPECT_EQ(b.out, b.expected);
}

/// Ids that are divided: rows in strips of 16 that begin and end anywhere in a group, and some that no strip has.
TEST_P(MergingRows, RowsFoundByDivisionBeginAndEndAnywhere) {
  ASSERT_TRUE(
      compile("__kernel void k(__global uint* a, __global uint* b, __global const uint* where) {"
              "  uint i = get_global_id(0); a[where[i / 32] * 32 + i % 32] = i;"
              "  size_t x = get_global_id(0) + get_global_size(0) * get_global_id(1);"
              "  b[where[x >> 4] * 16 + (x & 15)] = 1; }"));
  struct Shape {
    std::uint64_t offset, local, groups, rows;
  };
  for (const Shape shape : {Shape{0, 64, 4, 1},
                            {0, 16, 5, 2},
                            {7, 50, 3, 1},
                            {3, 8, 9, 3},
                            {16, 32, 4, 2},
                            {31, 1, 40, 1},
                            {1, 100, 1, 4},
                            {0, 17, 6, 2}}) {
    constexpr std::size_t kRows = 64;
    std::vector<std::uint32_t> where(kRows);
    for (std::uint32_t i = 0; i < kRows; ++i) where[i] = i * 29 % kRows;
    Bytes a(kRows * 32 * 4);
    Bytes b(kRows * 16 * 4);
    const SpanArgument arguments[] = {merged(a.out, a.result), merged(b.out, b.result), whole(where)};
    SpanFrame frame;
    frame.work_dim = 2;
    frame.global_offset[0] = shape.offset;
    frame.global_size[0] = shape.local * shape.groups;
    frame.global_size[1] = shape.rows;
    frame.local_size[0] = shape.local;
    frame.group_count[0] = shape.groups;
    frame.group_count[1] = shape.rows;
    const std::uint64_t first = shape.groups / 3;
    const std::uint64_t last = shape.groups * shape.rows - shape.groups / 4;
    replay(frame, arguments, first, last);
    for (std::uint64_t group = first; group < last; ++group)
      for (std::uint64_t item = 0; item < shape.local; ++item) {
        const std::uint64_t i = shape.offset + group % shape.groups * shape.local + item;
        const std::uint64_t x = i + frame.global_size[0] * (group / shape.groups);
        const std::size_t in_a = (i / 32 < kRows ? where[i / 32] : 0) * std::size_t{32} + i % 32;
        const std::size_t in_b = (x / 16 < kRows ? where[x / 16] : 0) * std::size_t{16} + x % 16;
        a.stored(in_a * 4, 4);
        b.stored(in_b * 4, 4);
      }
    EXPECT_EQ(a.out, a.expected) << shape.offset << " " << shape.local;
    EXPECT_EQ(b.out, b.expected) << shape.offset << " " << shape.local;
  }
}

}  // namespace
}  // namespace skmd::cpu::test
