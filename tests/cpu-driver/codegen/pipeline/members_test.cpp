// SPDX-License-Identifier: Apache-2.0
// Kernels over vectors of small members and over small tables, and elements that are changed in place: what the code
// generator has forms of its own for, against the same in C++.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <random>
#include <string>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

class Members : public testing::TestWithParam<Way> {
 protected:
  Bytes random_bytes(std::size_t count) {
    Bytes bytes(count);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(numbers_());
    return bytes;
  }
  std::mt19937 numbers_{20261122};
};

/// A step of a random kernel over four members, as OpenCL and as C++ do it.
struct Step {
  const char* text;
  void (*step)(std::array<std::uint8_t, 4>& v, const std::array<std::uint8_t, 4>& w, const Bytes& table);
};

template <class Each>
void each(std::array<std::uint8_t, 4>& v, Each body) {
  for (unsigned m = 0; m < 4; ++m) v[m] = static_cast<std::uint8_t>(body(m));
}

const Step kSteps[] = {
    {"v ^= w;", [](auto& v, const auto& w, const Bytes&) { each(v, [&](unsigned m) { return v[m] ^ w[m]; }); }},
    {"v += w.yzwx;",
     [](auto& v, const auto& w, const Bytes&) { each(v, [&](unsigned m) { return v[m] + w[(m + 1) % 4]; }); }},
    {"v = v.wzyx;",
     [](auto& v, const auto&, const Bytes&) {
       v = {v[3], v[2], v[1], v[0]};
     }},
    {"v = max(v, w) - min(v, (uchar4)9);",
     [](auto& v, const auto& w, const Bytes&) {
       each(v, [&](unsigned m) { return std::max(v[m], w[m]) - std::min<unsigned>(v[m], 9); });
     }},
    {"v = (v << (uchar4)1) ^ ((v >> (uchar4)7) * (uchar4)0x1B);",
     [](auto& v, const auto&, const Bytes&) {
       each(v, [&](unsigned m) { return (v[m] << 1U) ^ ((v[m] >> 7U) * 0x1B); });
     }},
    {"v = (uchar4)(table[v.x], table[v.y], table[v.z], table[v.w]);",
     [](auto& v, const auto&, const Bytes& table) { each(v, [&](unsigned m) { return table[v[m]]; }); }},
    {"v.y += v.x; v.w ^= w.z;",
     [](auto& v, const auto& w, const Bytes&) {
       v[1] = static_cast<std::uint8_t>(v[1] + v[0]);
       v[3] ^= w[2];
     }},
    {"if (n & 1) v = v.yzwx ^ w; else v -= w.x;",
     [](auto& v, const auto& w, const Bytes&) { each(v, [&](unsigned m) { return v[m] - w[0]; }); }},
    {"if (v.x > w.y) v = v.zwxy;",
     [](auto& v, const auto& w, const Bytes&) {
       if (v[0] > w[1]) v = {v[2], v[3], v[0], v[1]};
     }},
    {"{ const uchar4 x = v ^ v.zwxy; v = x + x.yyww; }",
     [](auto& v, const auto&, const Bytes&) {
       const std::array<std::uint8_t, 4> x = {
           static_cast<std::uint8_t>(v[0] ^ v[2]), static_cast<std::uint8_t>(v[1] ^ v[3]),
           static_cast<std::uint8_t>(v[2] ^ v[0]), static_cast<std::uint8_t>(v[3] ^ v[1])};
       v = {static_cast<std::uint8_t>(x[0] + x[1]), static_cast<std::uint8_t>(x[1] + x[1]),
            static_cast<std::uint8_t>(x[2] + x[3]), static_cast<std::uint8_t>(x[3] + x[3])};
     }},
};

/// Bytes behind which there is no memory.
class AtTheEnd {
 public:
  explicit AtTheEnd(const Bytes& bytes) : size_(bytes.size()) {
    pages_ =
        static_cast<std::byte*>(::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(static_cast<void*>(pages_), MAP_FAILED);
    EXPECT_EQ(::mprotect(pages_ + kPage, kPage, PROT_NONE), 0);
    std::memcpy(begin(), bytes.data(), size_);
  }
  ~AtTheEnd() { ::munmap(pages_, 2 * kPage); }
  AtTheEnd(const AtTheEnd&) = delete;
  AtTheEnd& operator=(const AtTheEnd&) = delete;
  [[nodiscard]] std::byte* begin() const { return pages_ + kPage - size_; }

 private:
  static constexpr std::size_t kPage = 4096;
  std::size_t size_;
  std::byte* pages_;
};

// Steps in random order, in a loop across barriers; neighbours' members come out of local memory.
TEST_P(Members, GoThroughRandomSteps) {
  for (int program = 0; program < 6; ++program) {
    std::vector<const Step*> steps;
    std::string text;
    for (int i = 0; i < 7; ++i) {
      steps.push_back(&kSteps[numbers_() % std::size(kSteps)]);
      text += "      " + std::string(steps.back()->text) + "\n";
    }
    Program code(R"(
      kernel void steps(global const uchar4* in, global uchar4* out, constant uchar* table, int n) {
        local uchar4 tile[64];
        const int l = get_local_id(0), i = get_global_id(0);
        uchar4 v = in[i];
        for (int round = 0; round < n; ++round) {
          tile[l] = v;
          barrier(CLK_LOCAL_MEM_FENCE);
          const uchar4 w = (uchar4)(tile[l].x, tile[l ^ 1].y, tile[(l & ~3) + ((l + 3) & 3)].z, tile[l ^ 2].w);
          barrier(CLK_LOCAL_MEM_FENCE);
)" + text + R"(        }
        out[i] = v;
      })",
                 GetParam());
    for (const unsigned local : {4U, 16U, 28U, 64U}) {
      const unsigned count = 3 * local;
      Bytes in = random_bytes(4 * count), out(in.size()), table = random_bytes(256);
      const int rounds = 4;
      code.run("steps", line(3, local), Arguments().buffer(in).buffer(out).buffer(table).value(rounds));
      std::vector<std::array<std::uint8_t, 4>> all(count);
      std::memcpy(all.data(), in.data(), in.size());
      for (int round = 0; round < rounds; ++round) {
        const auto before = all;
        for (unsigned i = 0; i < count; ++i) {
          const unsigned l = i % local, start = i - l;
          const std::array<std::uint8_t, 4> w = {before[i][0], before[start + (l ^ 1U)][1],
                                                 before[start + (l & ~3U) + ((l + 3) & 3U)][2],
                                                 before[start + (l ^ 2U)][3]};
          for (const Step* step : steps) step->step(all[i], w, table);
        }
      }
      for (unsigned i = 0; i < count; ++i)
        for (unsigned m = 0; m < 4; ++m)
          ASSERT_EQ(out[4 * i + m], all[i][m]) << "item " << i << " of groups of " << local << ", member " << m << "\n"
                                               << text;
    }
  }
}

// A table's end is the end of memory: nothing behind it may be read, though indices reach as far as they can.
TEST_P(Members, LookUpNoFurtherThanTheTable) {
  Program code(R"(
    kernel void look(global const uchar* in, global uchar* out, constant uchar* table, uchar most) {
      const int i = get_global_id(0);
      out[i] = table[min(in[i], most)];
    })",
               GetParam());
  for (const unsigned size : {1U, 7U, 64U, 200U, 256U}) {
    Bytes in = random_bytes(100), out(100), table = random_bytes(size);
    const AtTheEnd end(table);
    code.run("look", line(4, 25),
             Arguments().buffer(in).buffer(out).memory(end.begin(), size).value(static_cast<std::uint8_t>(size - 1)));
    for (unsigned i = 0; i < in.size(); ++i) ASSERT_EQ(out[i], table[std::min<unsigned>(in[i], size - 1)]) << i;
  }
}

TEST_P(Members, LookUpInTablesOfTheProgram) {
  Program code(R"(
    constant uchar few[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
    constant uchar squares[256] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
    kernel void look(global const uchar* in, global uchar* out) {
      const int i = get_global_id(0);
      out[i] = few[in[i] & 15] + squares[in[i]];
    })",
               GetParam());
  const std::uint8_t few[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
  Bytes in = random_bytes(100), out(100);
  code.run("look", line(4, 25), Arguments().buffer(in).buffer(out));
  for (unsigned i = 0; i < in.size(); ++i)
    ASSERT_EQ(out[i], static_cast<std::uint8_t>(few[in[i] & 15U] + (in[i] < 16 ? in[i] * in[i] : 0))) << i;
}

// Members of one size that are taken for some of another, after they have changed places.
TEST_P(Members, AreStoredAsOthers) {
  Program code(R"(
    kernel void others(global ushort* q, global const uchar4* x) {
      const int i = get_global_id(0);
      const uchar4 c = x[2 * i] ^ x[2 * i + 1];
      const ushort2 s = as_ushort2(c.s0321);
      q[3 * i] = s.x;
      q[3 * i + 1] = s.y;
    }
    kernel void sums(global ushort2* q, global const uchar4* x) {
      const int i = get_global_id(0);
      q[i] = as_ushort2(x[i].s2103) + (ushort2)(3, 5);
    })",
               GetParam());
  Bytes x = random_bytes(66 * 4 * 2);
  std::vector<std::uint16_t> q(66 * 3, 7), expected = q;
  for (unsigned i = 0; i < 66; ++i) {
    const auto c = [&](unsigned m) { return static_cast<unsigned>(x[8 * i + m] ^ x[8 * i + 4 + m]); };
    expected[3 * i] = static_cast<std::uint16_t>(c(0) + 256 * c(3));
    expected[3 * i + 1] = static_cast<std::uint16_t>(c(2) + 256 * c(1));
  }
  code.run("others", line(2, 33), Arguments().buffer(q).buffer(x));
  EXPECT_EQ(q, expected);
  for (unsigned i = 0; i < 66; ++i) {
    expected[2 * i] = static_cast<std::uint16_t>(x[4 * i + 2] + 256 * x[4 * i + 1] + 3);
    expected[2 * i + 1] = static_cast<std::uint16_t>(x[4 * i] + 256 * x[4 * i + 3] + 5);
  }
  code.run("sums", line(2, 33), Arguments().buffer(q).buffer(x));
  EXPECT_EQ(q, expected);
}

// Small elements of local memory are changed in place, and read from its last byte.
TEST_P(Members, ChangeSmallElementsInPlace) {
  Program code(R"(
    kernel void count(global const uint* in, global uint* out, local ushort* sums, int n) {
      local uchar counters[32 * 24];
      const int l = get_local_id(0), w = get_local_size(0);
      for (int bin = 0; bin < 24; ++bin) counters[bin * 32 + l] = 200 + l;
      for (int bin = 0; bin < 24; ++bin) sums[bin * w + l] = 0;
      for (int i = 0; i < n; ++i) {
        const uint x = in[(get_group_id(0) * n + i) * w + l];
        ++counters[(x % 24) * 32 + l];
        if (x % 3 != 0) sums[(x % 24) * w + l] -= x & 15;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      uint all = 0;
      for (int i = 0; i < 24 * 32; ++i)
        if (i % 32 < w) all = all * 31 + counters[(i + l * 33) % (24 * 32) / 32 * 32 + (i + l) % w];
      for (int i = 0; i < 24 * w; ++i) all = all * 17 + sums[24 * w - 1 - (i + l) % (24 * w)];
      out[get_global_id(0)] = all;
    })",
               GetParam());
  for (const unsigned w : {1U, 9U, 16U, 32U}) {
    const unsigned n = 12;
    std::vector<std::uint32_t> in(2 * n * w), out(2 * w);
    for (auto& x : in) x = numbers_();
    code.run("count", line(2, w), Arguments().buffer(in).buffer(out).local(24 * w * 2).value(static_cast<int>(n)));
    for (unsigned group = 0; group < 2; ++group) {
      Bytes counters(32 * 24);
      std::vector<std::uint16_t> sums(24 * w);
      for (unsigned at = 0; at < counters.size(); ++at) counters[at] = static_cast<std::uint8_t>(200 + at % 32);
      for (unsigned at = 0; at < n * w; ++at) {
        const std::uint32_t x = in[group * n * w + at];
        ++counters[x % 24 * 32 + at % w];
        if (x % 3 != 0) sums[x % 24 * w + at % w] = static_cast<std::uint16_t>(sums[x % 24 * w + at % w] - (x & 15U));
      }
      for (unsigned l = 0; l < w; ++l) {
        std::uint32_t all = 0;
        for (unsigned i = 0; i < 24 * 32; ++i)
          if (i % 32 < w) all = all * 31 + counters[(i + l * 33) % (24 * 32) / 32 * 32 + (i + l) % w];
        for (unsigned i = 0; i < 24 * w; ++i) all = all * 17 + sums[24 * w - 1 - (i + l) % (24 * w)];
        ASSERT_EQ(out[group * w + l], all) << "item " << l << " of " << w;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Members, testing::ValuesIn(ways_of("Members")),
                         [](const auto& param) { return name_of(param.param); });

}  // namespace
}  // namespace skmd::cpu::test
