// SPDX-License-Identifier: Apache-2.0
// Items that ask whether they are below something, neighbours in local memory, and sums of items side by side.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class Bounds : public testing::TestWithParam<Way> {};

constexpr std::int64_t kLeast = std::numeric_limits<int>::min();
constexpr std::int64_t kMax = std::numeric_limits<int>::max();

// Every way to ask, of ids and of local ids, with bounds of both signs and at the ends of their types.
TEST_P(Bounds, AreThoseOfEachItem) {
  Program program(R"(
    kernel void ask(global int* out, int n, uint u, long big, int w) {
      const int i = get_global_id(0), l = get_local_id(0);
      int found = 0;
      if (i < n) found += 1 + i;
      if (i <= n) found += 1000;
      if (get_global_id(0) < u) found ^= 0x10000;
      if (get_global_id(0) <= (ulong)big) found ^= 0x20000;
      if (l < w) found ^= 0x40000;
      if (w >= l + 3) found ^= 0x80000;
      if ((long)i < big) found ^= 0x100000;
      if (i + n < w) found ^= 0x200000;
      out[i - get_global_offset(0)] = found;
    })",
                  GetParam());
  for (const auto& [groups, local, offset] :
       {std::array{1u, 1u, 0u}, {3u, 16u, 0u}, {2u, 37u, 5u}, {1u, 200u, 1000u}, {4u, 64u, 0u}}) {
    const std::int64_t items = std::int64_t{groups} * local;
    for (const std::int64_t n : {kLeast, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{17},
                                 offset + items - 1, offset + items, offset + items + 1, kMax}) {
      std::vector<int> out(static_cast<std::size_t>(items), -1);
      const auto u = static_cast<std::uint32_t>(n);
      const auto w = static_cast<int>(n % 50);
      program.run("ask", {{groups, 1, 1}, {local, 1, 1}, {offset, 0, 0}, 1},
                  Arguments().buffer(out).value(static_cast<int>(n)).value(u).value(n).value(w));
      for (std::int64_t at = 0; at < items; ++at) {
        const std::int64_t i = at + offset, l = at % local;
        int found = 0;
        if (i < n) found += 1 + static_cast<int>(i);
        if (i <= n) found += 1000;
        if (i < std::int64_t{u}) found ^= 0x10000;
        if (static_cast<std::uint64_t>(i) <= static_cast<std::uint64_t>(n)) found ^= 0x20000;
        if (l < w) found ^= 0x40000;
        if (w >= l + 3) found ^= 0x80000;
        if (i < n) found ^= 0x100000;
        if (i + n <= kMax && i + n < w) found ^= 0x200000;
        if (i + n > kMax) found = out[static_cast<std::size_t>(at)];  // a sum that the language does not define
        ASSERT_EQ(out[static_cast<std::size_t>(at)], found) << "item " << i << " of " << items << ", n " << n;
      }
    }
  }
}

// A bound that only some items' way computes, and one that changes in the loop that asks.
TEST_P(Bounds, NeedNotBeThereOnEveryWay) {
  Program program(R"(
    kernel void ways(global int* out, global const int* bounds, int some) {
      const int i = get_global_id(0), l = get_local_id(0);
      int sum = 0;
      if (some) {
        const int n = 1000 / some;
        if (i < n) sum += 5;
      }
      for (int k = 0; k < 4; ++k)
        if (l < bounds[k]) sum = sum * 3 + k + l;
      out[i] = sum;
    })",
                  GetParam());
  std::vector<int> bounds{70, 3, -4, 33};
  for (const int some : {0, 1, 13, 40, -1}) {
    std::vector<int> out(130, -1);
    program.run("ways", line(2, 65), Arguments().buffer(out).buffer(bounds).value(some));
    for (int i = 0; i < 130; ++i) {
      int sum = some != 0 && i < 1000 / some ? 5 : 0;
      for (int k = 0; k < 4; ++k)
        if (i % 65 < bounds[static_cast<std::size_t>(k)]) sum = sum * 3 + k + i % 65;
      ASSERT_EQ(out[static_cast<std::size_t>(i)], sum) << i << ", " << some;
    }
  }
}

// Other values that the items below the bound compute do not change.
TEST_P(Bounds, LeaveOtherNumbersAlone) {
  Program program(R"(
    kernel void bits(global ulong* out, global const ulong* in, int n, ulong m) {
      const ulong i = get_global_id(0);
      const size_t l = get_local_id(0);
      if (l < n)
        out[i] = (in[0] & in[1]) + (l & m) + (l & 0xFFFFFFF5) + ((l << 3) & 0xFFFFFFE8) + (ulong)(uchar)l +
                 (ulong)(long)(short)(l << 9) + (ulong)(uint)l;
    })",
                  GetParam());
  const std::vector<std::uint64_t> in{0xFF, 0xF0F};
  for (const std::uint64_t local : {64, 300}) {
    std::vector<std::uint64_t> out(2 * local), values = in;
    program.run("bits", line(2, local), Arguments().buffer(out).buffer(values).value(250).value(std::uint64_t{0x35}));
    for (std::uint64_t i = 0; i < 2 * local; ++i) {
      const std::uint64_t l = i % local;
      const std::uint64_t sum = (in[0] & in[1]) + (l & 0x35) + (l & 0xFFFFFFF5) + (l << 3 & 0xFFFFFFE8) + (l & 0xFF) +
                                static_cast<std::uint64_t>(static_cast<std::int16_t>(l << 9)) + l;
      ASSERT_EQ(out[i], l < 250 ? sum : 0) << i << " of groups of " << local;
    }
  }
}

// Each step of a tree reads neighbours of what the step before stored, also just behind the last that did.
TEST_P(Bounds, HaveNeighboursInLocalMemory) {
  Program program(R"(
    #define TREE(type, name) \
    kernel void name(global const type* in, global type* out, int steps, local type* a, local type* b) { \
      const int l = get_local_id(0); \
      a[l] = in[get_global_id(0)]; \
      barrier(CLK_LOCAL_MEM_FENCE); \
      for (int level = steps; level > 0; level -= 2) { \
        if (l < level) b[l] = a[l + 1] * (type)3 - a[l]; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        if (l < level - 1) a[l] = b[l + 1] - b[l] * (type)7; \
        barrier(CLK_LOCAL_MEM_FENCE); \
      } \
      out[get_global_id(0)] = a[l]; \
    }
    TREE(int, one)
    TREE(int2, two)
    TREE(int4, four)
    TREE(long2, longs)
    TREE(int8, eight))",
                  GetParam());
  const auto run = [&]<class T>(const char* name, std::size_t members, T) {
    for (const std::size_t local : {9u, 48u, 101u}) {
      const std::size_t size = 2 * local * members;
      std::vector<T> in(size), out(size);
      for (std::size_t i = 0; i < size; ++i) in[i] = static_cast<T>(i * 2654435761u % 1013);
      const std::size_t bytes = local * members * sizeof(T);
      const int steps = static_cast<int>(local - 1) / 2 * 2;
      program.run(name, line(2, local), Arguments().buffer(in).buffer(out).value(steps).local(bytes).local(bytes));
      std::vector<T> a = in, b = in;
      for (std::size_t group = 0; group < 2; ++group) {
        T* as = a.data() + group * local * members;
        T* bs = b.data() + group * local * members;
        const auto step = [&](T* to, const T* from, int count, T near, T far) {
          for (std::size_t i = 0; i < static_cast<std::size_t>(std::max(count, 0)) * members; ++i) {
            const auto sum = static_cast<std::uint64_t>(from[i + members]) * static_cast<std::uint64_t>(far) -
                             static_cast<std::uint64_t>(from[i]) * static_cast<std::uint64_t>(near);
            to[i] = static_cast<T>(sum);
          }
        };
        for (int level = steps; level > 0; level -= 2) {
          step(bs, as, level, 1, 3);
          step(as, bs, level - 1, 7, 1);
        }
      }
      ASSERT_EQ(out, a) << name << ", groups of " << local;
    }
  };
  run("one", 1, int{});
  run("two", 2, int{});
  run("four", 4, int{});
  run("longs", 2, std::int64_t{});
  run("eight", 8, int{});
}

// Vectors of a row side by side: sums of what is next to each other by a condition that differs from group to group,
// through private memory, and in rows that are no multiple of that many.
TEST_P(Bounds, SumVectorsSideBySide) {
  Program program(R"(
    kernel void sums(global const int* in, global int* out, int count) {
      const int l = get_local_id(0), size = get_local_size(0);
      const int first = get_group_id(0) * (size * count) + l;
      int sum = l, last = 0, seen[3] = {1, 2, 3};
      for (int k = 0; k < count; ++k) {
        const int value = in[first + k * size];
        sum = sum * 5 + value - last;
        seen[k % 3] ^= value + l;
        last = value;
      }
      out[get_global_id(0)] = sum + seen[0] + 3 * seen[1] - seen[2];
    })",
                  GetParam());
  for (const int local : {5, 16, 64, 70, 129, 200}) {
    for (const int count : {0, 1, 7}) {
      std::vector<int> in(static_cast<std::size_t>(3 * local * count) + 1), out(static_cast<std::size_t>(3 * local));
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 40503u % 997);
      program.run("sums", line(3, static_cast<std::uint64_t>(local)), Arguments().buffer(in).buffer(out).value(count));
      for (int i = 0; i < 3 * local; ++i) {
        const int l = i % local;
        auto sum = static_cast<unsigned>(l), last = 0u;
        unsigned seen[3] = {1, 2, 3};
        for (int k = 0; k < count; ++k) {
          const auto value =
              static_cast<unsigned>(in[static_cast<std::size_t>(i / local * local * count + l + k * local)]);
          sum = sum * 5 + value - last;
          seen[k % 3] ^= value + static_cast<unsigned>(l);
          last = value;
        }
        ASSERT_EQ(out[static_cast<std::size_t>(i)], static_cast<int>(sum + seen[0] + 3 * seen[1] - seen[2]))
            << "item " << i << ", groups of " << local << ", " << count;
      }
    }
  }
}

// Sixteen vectors of a row side by side where loops only read: sums of two arrays, one of which may be anywhere.
TEST_P(Bounds, SumSixteenVectorsSideBySide) {
  Program program(R"(
    kernel void sums(global const int* a, global const int* b, global int* out, int count, int from) {
      const int l = get_local_id(0), size = get_local_size(0);
      const int first = get_group_id(0) * (size * count) + l;
      int sum = l;
      for (int k = 0; k < count; ++k) sum = sum * 5 + a[first + k * size] - b[from + k + 3 * l];
      out[get_global_id(0)] = sum;
    }
    kernel void plain(global const int* a, global const int* b, global int* out, int count, int from) {
      const size_t l = get_local_id(0), size = get_local_size(0), first = get_group_id(0) * (size * count) + l;
      int sum = l;
      for (int k = 0; k < count; ++k) sum = (sum ^ a[first + k * size]) + b[from + k + l];
      out[get_global_id(0)] = sum;
    })",
                  GetParam());
  for (const int local : {5, 128, 255, 256, 300, 512, 600}) {
    for (const int count : {0, 1, 7}) {
      const auto items = static_cast<std::size_t>(3 * local);
      std::vector<int> a(items * static_cast<std::size_t>(count) + 1), b(items + 100), out(items);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int>(i * 40503u % 997);
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<int>(i * 30011u % 499);
      for (const char* const kernel : {"sums", "plain"}) {
        const bool plain = kernel[0] == 'p';
        program.run(kernel, line(3, static_cast<std::uint64_t>(local)),
                    Arguments().buffer(a).buffer(b).buffer(out).value(count).value(11));
        for (int i = 0; i < 3 * local; ++i) {
          const int l = i % local;
          auto sum = static_cast<unsigned>(l);
          for (int k = 0; k < count; ++k) {
            const auto one =
                static_cast<unsigned>(a[static_cast<std::size_t>(i / local * local * count + l + k * local)]);
            const auto other = static_cast<unsigned>(b[static_cast<std::size_t>(11 + k + (plain ? l : 3 * l))]);
            sum = plain ? (sum ^ one) + other : sum * 5 + one - other;
          }
          ASSERT_EQ(out[static_cast<std::size_t>(i)], static_cast<int>(sum))
              << kernel << ", item " << i << ", groups of " << local << ", " << count;
        }
      }
    }
  }
}

// Each item takes what is left for it in steps of all items, and numbers of 32 bits may have come round in between.
TEST_P(Bounds, GoOnInStepsOfAllItems) {
  Program program(R"(
    #define STEPS(NAME, TYPE) \
      kernel void NAME(global const int* in, global int* out, global int* ends, TYPE n, TYPE from) { \
        int sum = 0; \
        TYPE i = from + (TYPE)get_global_id(0); \
        for (; (TYPE)(i - from) < n; i += get_global_size(0)) sum = sum * 3 + in[(TYPE)(i - from)]; \
        out[get_global_id(0)] = sum; \
        ends[get_global_id(0)] = (int)i; \
      }
    STEPS(ints, int)
    STEPS(uints, uint)
    STEPS(ulongs, ulong)
    kernel void plain(global const int* in, global int* out, global int* ends, uint n, uint from) {
      int sum = 0;
      uint i = get_global_id(0);
      for (; i < n; i += get_global_size(0)) sum = sum * 3 + in[i];
      out[get_global_id(0)] = sum;
      ends[get_global_id(0)] = (int)(i + from);
    })",
                  GetParam());
  const auto run = [&](const char* kernel, auto from, unsigned n) {
    for (const int local : {7, 16, 33}) {
      const unsigned items = static_cast<unsigned>(3 * local);
      std::vector<int> in(n + 1), out(items), ends(items);
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 40503u % 997);
      program.run(kernel, line(3, static_cast<std::uint64_t>(local)),
                  Arguments().buffer(in).buffer(out).buffer(ends).value(static_cast<decltype(from)>(n)).value(from));
      for (unsigned item = 0; item < items; ++item) {
        unsigned sum = 0, i = item;
        for (; i < n; i += items) sum = sum * 3 + static_cast<unsigned>(in[i]);
        ASSERT_EQ(out[item], static_cast<int>(sum)) << kernel << ", item " << item << " of " << items << ", " << n;
        ASSERT_EQ(ends[item], static_cast<int>(i + static_cast<unsigned>(from))) << kernel << ", item " << item;
      }
    }
  };
  for (const unsigned n : {0u, 1u, 20u, 21u, 99u, 500u, 1000u}) {
    run("ints", std::int32_t{5}, n);
    run("uints", std::uint32_t{0}, n);
    run("uints", ~std::uint32_t{0} - 200, n);
    run("ulongs", ~std::uint64_t{0} - 77, n);
    run("ulongs", (std::uint64_t{1} << 32) - 50, n);
    run("plain", std::uint32_t{3}, n);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Bounds, testing::ValuesIn(ways_of("Bounds")),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
