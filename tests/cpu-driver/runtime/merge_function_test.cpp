// SPDX-License-Identifier: Apache-2.0
// Merge functions as skmd-compile makes them, run on host memory. Over 400 lines, since each test holds its kernel and
// reference in full, and all run through the one parameterised suite below.
#include <gtest/gtest.h>

#include <climits>
#include <numeric>
#include <random>
#include <span>

#include "tests/cpu-driver/runtime/kernel_code.h"

namespace skmd::cpu::test {
namespace {

constexpr std::uint32_t kOld = 0xAAAAAAAA;

/// As a function alone, which copies at each store, and as it is run: marks first.
enum class Way { alone, marked };

class Merging : public testing::TestWithParam<Way> {
 protected:
  /// The kernel `k` in `source`.
  bool compile(const std::string& source) {
    auto loaded = SpanLibrary::load(span_code_of(source), "");
    EXPECT_TRUE(loaded.ok()) << loaded.error().reason;
    if (!loaded) return false;
    library_ = std::move(*loaded);
    k_ = library_->merge_function("k");
    return k_.run != nullptr && k_.units != nullptr;
  }
  void replay(SpanFrame frame, std::span<const SpanArgument> arguments, std::uint64_t first, std::uint64_t last) {
    frame.arguments = arguments.data();
    if (GetParam() == Way::alone)
      k_.run(&frame, first, last);
    else
      run_merge(pool_, k_, frame, arguments.size(), first, last);
  }
  std::unique_ptr<SpanLibrary> library_;
  MergeFunction k_;
  Pool pool_{3};
};

INSTANTIATE_TEST_SUITE_P(BothWays, Merging, testing::Values(Way::alone, Way::marked),
                         [](const auto& way) { return way.param == Way::alone ? "Alone" : "Marked"; });

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

/// Bytes of `out` after storing what `result` holds at the places that `stores` names.
struct Bytes {
  explicit Bytes(std::size_t size) : out(size, 0xAA), result(size), expected(out) {
    for (std::size_t i = 0; i < size; ++i) result[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  }
  void stored(std::size_t place, std::size_t size) {
    std::copy_n(result.begin() + static_cast<std::ptrdiff_t>(place), size,
                expected.begin() + static_cast<std::ptrdiff_t>(place));
  }
  std::vector<std::uint8_t> out, result, expected;
};

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

TEST_P(Merging, AMovingPointerKeepsItsUnit) {
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
TEST_P(Merging, RowsThatLeaveTheBufferOrWrapStoreWhatIsInside) {
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

TEST_P(Merging, LoopsOfTheKernelStoreTheirRows) {
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

TEST_P(Merging, RowsOfSeveralBuffersAndWidths) {
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
TEST_P(Merging, RowsFoundByDivisionBeginAndEndAnywhere) {
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
