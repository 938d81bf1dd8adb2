// SPDX-License-Identifier: Apache-2.0
// Loads from places that items choose, against the same in C++: small tables wherever they lie, and neighbours in local
// memory.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class Places : public testing::TestWithParam<Way> {};

/// Pages of which the last cannot be read.
class Fence {
 public:
  Fence() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    void* mapped = mmap(nullptr, 3 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(mapped, MAP_FAILED);
    bytes_ = static_cast<unsigned char*>(mapped);
    EXPECT_EQ(mprotect(bytes_ + 2 * page_, page_, PROT_NONE), 0);
  }
  Fence(const Fence&) = delete;
  Fence& operator=(const Fence&) = delete;
  ~Fence() { munmap(bytes_, 3 * page_); }

  [[nodiscard]] unsigned char* end() const { return bytes_ + 2 * page_; }
  [[nodiscard]] unsigned char* middle() const { return bytes_ + page_; }

 private:
  std::size_t page_;
  unsigned char* bytes_ = nullptr;
};

const char* const kTables = R"(
  kernel void look_up(global uchar* out, global const uchar* in, constant uchar* table, int least) {
    const int i = get_global_id(0);
    uchar found = 255;
    if (in[i] >= least) found = table[in[i]];
    out[i] = found;
  }
  kernel void look_up_all(global uchar* out, global const uchar* in, global const uchar* table) {
    const int i = get_global_id(0);
    out[i] = table[table[in[i]]];
  })";

TEST_P(Places, TablesAreReadWhereverTheyLie) {
  Program program(kTables, GetParam());
  const Fence fence;
  constexpr unsigned kItems = 100;
  // As many bytes as there are before the fence; across pages; anywhere.
  for (const auto& [table, size] : {std::pair{fence.end() - 16, 16u},
                                    {fence.end() - 255, 255u},
                                    {fence.end() - 256, 256u},
                                    {fence.middle() - 100, 256u},
                                    {fence.middle() - 256, 256u},
                                    {fence.middle() + 1, 256u}}) {
    for (unsigned i = 0; i < size; ++i) table[i] = static_cast<unsigned char>((i * 167 + 31) % size);
    std::vector<unsigned char> in(kItems), out(kItems, 1);
    for (unsigned i = 0; i < kItems; ++i) in[i] = static_cast<unsigned char>(i * 193 % size);
    for (const int least : {0, 9, 200, 256}) {
      program.run("look_up", line(4, 25), Arguments().buffer(out).buffer(in).memory(table, size).value(least));
      for (unsigned i = 0; i < kItems; ++i)
        ASSERT_EQ(out[i], in[i] >= least ? table[in[i]] : 255) << i << " of " << size;
    }
    program.run("look_up_all", line(1, kItems), Arguments().buffer(out).buffer(in).memory(table, size));
    for (unsigned i = 0; i < kItems; ++i) ASSERT_EQ(out[i], table[table[in[i]]]) << i << " of " << size;
  }
}

// Items read what others of the same four, eight or pair wrote, in words and bytes.
TEST_P(Places, NeighboursInLocalMemory) {
  Program program(R"(
    #define SIZE 64
    kernel __attribute__((reqd_work_group_size(SIZE, 1, 1))) void turn(global uint* out, global const uchar4* keys, int rounds) {
      local uchar4 tiles[2 * SIZE];
      local uint words[SIZE];
      const int l = get_local_id(0), column = l & 3, block = l & ~3;
      uchar4 state = (uchar4)(l, 3 * l, 5 * l + 1, 7 * l);
      for (int round = 0; round < rounds; ++round) {
        const int tile = (round & 1) * SIZE, from = tile + block;
        tiles[tile + l] = state;
        words[l ^ 5] = as_uint(state);
        barrier(CLK_LOCAL_MEM_FENCE);
        state = (uchar4)(tiles[from + column].x, tiles[from + ((column + 1) & 3)].y, tiles[from + (column ^ 2)].z,
                         tiles[from + ((column + 3) & 3)].w);
        state ^= keys[round * 4 + column];
        state += as_uchar4(words[SIZE - 1 - l]) ^ as_uchar4(words[(l & ~7) + ((5 * l) & 7)]);
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      out[get_global_id(0)] = as_uint(state);
    })",
                  GetParam());
  constexpr unsigned kItems = 64, kRounds = 5;
  std::vector<unsigned char> keys(kRounds * 16);
  for (unsigned i = 0; i < keys.size(); ++i) keys[i] = static_cast<unsigned char>(i * 41 + 3);
  std::vector<std::uint32_t> out(2 * kItems);
  program.run("turn", line(2, kItems), Arguments().buffer(out).buffer(keys).value(static_cast<int>(kRounds)));
  std::vector<std::array<unsigned char, 4>> states(kItems);
  for (unsigned l = 0; l < kItems; ++l)
    states[l] = {static_cast<unsigned char>(l), static_cast<unsigned char>(3 * l),
                 static_cast<unsigned char>(5 * l + 1), static_cast<unsigned char>(7 * l)};
  for (unsigned round = 0; round < kRounds; ++round) {
    const auto before = states;
    for (unsigned l = 0; l < kItems; ++l) {
      const unsigned column = l & 3, block = l & ~3u;
      const unsigned from[] = {column, (column + 1) & 3, column ^ 2, (column + 3) & 3};
      const auto& one = before[(kItems - 1 - l) ^ 5];
      const auto& other = before[((l & ~7u) + ((5 * l) & 7)) ^ 5];
      for (unsigned part = 0; part < 4; ++part)
        states[l][part] = static_cast<unsigned char>(
            (before[block + from[part]][part] ^ keys[(round * 4 + column) * 4 + part]) + (one[part] ^ other[part]));
    }
  }
  for (unsigned i = 0; i < out.size(); ++i) {
    const auto& state = states[i % kItems];
    const std::uint32_t expected =
        state[0] | state[1] << 8u | state[2] << 16u | static_cast<std::uint32_t>(state[3]) << 24u;
    ASSERT_EQ(out[i], expected) << i;
  }
}

// What all items have in common, a square or a number of few bits, decides the place as well.
TEST_P(Places, WhatItemsHaveInCommonCounts) {
  Program program(R"(
    kernel void squares(global uint* out, uint rounds) {
      local uint words[16];
      const uint l = get_local_id(0);
      if (l < 16) words[l] = l * 3 + 1;
      barrier(CLK_LOCAL_MEM_FENCE);
      uint sum = 0;
      for (uint i = 0; i < rounds; ++i) sum = sum * 3 + words[(i * i + l) & 15];
      for (uint i = 1, j = 3; i < rounds; j = i, ++i) sum = sum * 5 + words[(i * j + (i & j) + l) & 15];
      out[get_global_id(0)] = sum;
    }
    kernel void bytes(global int* out, int first) {
      local int words[256];
      const int l = get_local_id(0);
      for (int i = l; i < 256; i += get_local_size(0)) words[i] = 7 * i;
      barrier(CLK_LOCAL_MEM_FENCE);
      local const int* middle = words + 128;
      out[get_global_id(0)] = middle[(char)(first + l)];
    })",
                  GetParam());
  constexpr unsigned kItems = 64, kRounds = 9;
  std::vector<std::uint32_t> out(kItems);
  program.run("squares", line(1, kItems), Arguments().buffer(out).value(kRounds));
  for (std::uint32_t l = 0; l < kItems; ++l) {
    std::uint32_t sum = 0;
    const auto word = [](std::uint32_t at) { return (at & 15) * 3 + 1; };
    for (std::uint32_t i = 0; i < kRounds; ++i) sum = sum * 3 + word(i * i + l);
    for (std::uint32_t i = 1, j = 3; i < kRounds; j = i, ++i) sum = sum * 5 + word(i * j + (i & j) + l);
    ASSERT_EQ(out[l], sum) << l;
  }
  for (const int first : {0, 100, -100, 127, 1000}) {
    program.run("bytes", line(1, kItems), Arguments().buffer(out).value(first));
    for (int l = 0; l < static_cast<int>(kItems); ++l)
      ASSERT_EQ(static_cast<int>(out[l]), 7 * (128 + static_cast<signed char>(first + l))) << first << " + " << l;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Places, testing::ValuesIn(ways_of("Places")),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
