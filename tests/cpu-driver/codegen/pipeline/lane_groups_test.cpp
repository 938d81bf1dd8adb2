// SPDX-License-Identifier: Apache-2.0
// Kernels whose groups run side by side, as lanes of vectors, against the same in C++.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <string>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

class LaneGroups : public testing::TestWithParam<Way> {
 protected:
  // Vectors of fewer lanes have nothing to win.
  [[nodiscard]] static bool has_lanes() { return GetParam().width == 0 || GetParam().width >= 4; }
};

std::vector<int> numbers(std::size_t count) {
  std::vector<int> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<int>(i * 2654435761u % 1000003u);
  return made;
}

/// One group's part of a launch: what it reads and writes of the buffers.
using Group = std::function<void(const int* in, int* out, int* told)>;

/// A kernel (global int* out, global const int* in, global int* told, int n): each group reads and writes `items` * 2
/// neighbouring numbers and tells one.
struct Tree {
  std::string source;
  std::uint64_t items;
  std::array<std::uint64_t, 3> local;
  Group reference;
};

/// Whether its groups run side by side, which may be known.
bool check(const Tree& tree, std::optional<bool> side_by_side) {
  Program code(tree.source, LaneGroups::GetParam());
  const unsigned lanes = code.facts("tree").lane_groups;
  EXPECT_TRUE(lanes == 0 || lanes >= 4) << lanes;
  EXPECT_EQ(lanes != 0, side_by_side.value_or(lanes != 0));
  for (const auto& [x, y, z] : {std::array{1u, 1u, 1u}, {3u, 1u, 1u}, {16u, 1u, 1u}, {37u, 1u, 1u}, {19u, 2u, 2u}}) {
    const Shape shape{{x, y, z}, tree.local, {5, 0, 2}, 3};
    const std::uint64_t groups = shape.all_groups(), per_group = 2 * tree.items;
    const std::vector<int> in = numbers(groups * per_group);
    std::vector<int> expected(in.size(), -1), expected_told(groups, -1);
    for (std::uint64_t g = 0; g < groups; ++g)
      tree.reference(&in[g * per_group], &expected[g * per_group], &expected_told[g]);
    for (const std::uint64_t span : {~0ull, 16ull, 21ull}) {
      std::vector<int> out(in.size(), -1), told(groups, -1), read = in;
      code.run("tree", shape, Arguments().buffer(out).buffer(read).buffer(told).value(static_cast<int>(per_group)),
               span);
      EXPECT_EQ(out, expected) << name_of(LaneGroups::GetParam()) << ", " << x << " groups, spans of " << span;
      EXPECT_EQ(told, expected_told) << name_of(LaneGroups::GetParam()) << ", " << x << " groups, spans of " << span;
    }
  }
  return lanes != 0;
}

/// With a number for each group and item: `g` and `l`, of all dimensions; `W` items.
std::string kernel_of(std::uint64_t items, const std::string& locals, const std::string& body) {
  return "#define W " + std::to_string(items) + "\n" + R"(
  kernel void tree(global int* out, global const int* in, global int* told, int n) {
    const int l = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
    const int g = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    )" + locals +
         body + "}";
}

const char* const kRead = R"(
    tree[2 * l] = in[g * n + 2 * l];
    tree[2 * l + 1] = in[g * n + 2 * l + 1];)";
const char* const kWrite = R"(
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g * n + 2 * l] = tree[2 * l];
    out[g * n + 2 * l + 1] = tree[2 * l + 1];)";
const char* const kUp = R"(
    int distance = 1;
    for (int pairs = W; pairs > 0; pairs /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (l < pairs) tree[distance * (2 * l + 2) - 1] += tree[distance * (2 * l + 1) - 1];
      distance *= 2;
    })";

template <class T>
void add_up(std::vector<T>& tree, int items) {
  int distance = 1;
  for (int pairs = items; pairs > 0; pairs /= 2, distance *= 2)
    for (int l = 0; l < pairs; ++l) tree[distance * (2 * l + 2) - 1] += tree[distance * (2 * l + 1) - 1];
}

Group sums(std::uint64_t items) {
  return [items](const int* in, int* out, int* told) {
    std::vector<int> tree(in, in + 2 * items);
    add_up(tree, static_cast<int>(items));
    std::copy(tree.begin(), tree.end(), out);
    *told = tree.back();
  };
}

const char* const kTell = "\n    if (l == 0) told[g] = tree[2 * W - 1];";

TEST_P(LaneGroups, AddUpTrees) {
  for (const std::array<std::uint64_t, 3> local : {std::array<std::uint64_t, 3>{64, 1, 1}, {8, 4, 1}, {4, 2, 2}}) {
    const std::uint64_t items = local[0] * local[1] * local[2];
    check({kernel_of(items, "local int tree[2 * W];", std::string(kRead) + kUp + kWrite + kTell), items, local,
           sums(items)},
          has_lanes());
  }
}

// Also numbers that no whole vector of elements holds, and elements of eight bytes.
TEST_P(LaneGroups, AddUpLongNumbers) {
  check({kernel_of(32, "local long tree[2 * W];", std::string(kRead) + kUp + kWrite + kTell), 32, {32, 1, 1}, sums(32)},
        has_lanes());
}

TEST_P(LaneGroups, GoDownAgain) {
  const char* const down = R"(
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
      told[g] = tree[2 * W - 1];
      tree[2 * W - 1] = 0;
    }
    for (int pairs = 1; pairs < 2 * W; pairs *= 2) {
      distance /= 2;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (l < pairs) {
        const int left = tree[distance * (2 * l + 1) - 1];
        const int both = tree[distance * (2 * l + 2) - 1];
        tree[distance * (2 * l + 1) - 1] = both;
        tree[distance * (2 * l + 2) - 1] = both + left;
      }
    })";
  const Group prefix = [](const int* in, int* out, int* told) {
    *told = 0;
    for (int i = 0; i < 64; ++i) {
      out[i] = *told;
      *told += in[i];
    }
  };
  check({kernel_of(32, "local int tree[2 * W];", std::string(kRead) + kUp + down + kWrite), 32, {32, 1, 1}, prefix},
        has_lanes());
}

// Groups part inside a region: by what they read, and by how often they go round.
TEST_P(LaneGroups, PartWithinARegion) {
  const char* const body = R"(
    for (int step = 1; step < W; step *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const int at = 2 * (l & ~step) * 1;
      int found = 0;
      if (tree[at] & 1) found = tree[at + 1] / (1 + (tree[at] & 7));
      for (int k = tree[2 * l] & 3; k > 0; --k) found = found * 3 + tree[(2 * l * step + k) % (2 * W)];
      next[2 * l] = found;
      next[2 * l + 1] = tree[2 * l + 1] ^ step;
      barrier(CLK_LOCAL_MEM_FENCE);
      tree[(2 * l * 5) % (2 * W)] = next[2 * l];
      tree[(2 * l * 5 + 1) % (2 * W)] = next[2 * l + 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 3 && (tree[5] & 1)) told[g] = tree[7];)";
  const Group reference = [](const int* in, int* out, int* told) {
    constexpr int kW = 16;
    std::vector<int> tree(in, in + 2 * kW), next(2 * kW);
    for (int step = 1; step < kW; step *= 2) {
      for (int l = 0; l < kW; ++l) {
        const int at = 2 * (l & ~step);
        unsigned found = 0;
        if ((tree[at] & 1) != 0) found = static_cast<unsigned>(tree[at + 1] / (1 + (tree[at] & 7)));
        for (int k = tree[2 * l] & 3; k > 0; --k)
          found = found * 3 + static_cast<unsigned>(tree[(2 * l * step + k) % (2 * kW)]);
        next[2 * l] = static_cast<int>(found);
        next[2 * l + 1] = tree[2 * l + 1] ^ step;
      }
      for (int l = 0; l < kW; ++l) {
        tree[(2 * l * 5) % (2 * kW)] = next[2 * l];
        tree[(2 * l * 5 + 1) % (2 * kW)] = next[2 * l + 1];
      }
    }
    if ((tree[5] & 1) != 0) *told = tree[7];
    std::copy(tree.begin(), tree.end(), out);
  };
  check({kernel_of(16, "local int tree[2 * W], next[2 * W];", std::string(kRead) + body + kWrite),
         16,
         {16, 1, 1},
         reference},
        has_lanes());
}

// Two buffers that change places: an address chosen among two.
const char* const kChosen = R"(
    int turn = 0;
    for (int step = 1; step < 2 * W; step *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      local int* from = turn ? other : tree;
      local int* to = turn ? tree : other;
      for (int k = 0; k < 2; ++k) {
        const int i = (2 * l + k) * 3 % (2 * W);
        to[i] = i >= step ? from[i] + from[i - step] : from[i];
      }
      turn = !turn;
    })";

// An address is one group's: it does not live on where groups are lanes.
const char* const kKept = R"(
    local int* from = tree;
    local int* to = other;
    for (int step = 1; step < 2 * W; step *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int k = 0; k < 2; ++k) {
        const int i = (2 * l + k) * 3 % (2 * W);
        to[i] = i >= step ? from[i] + from[i - step] : from[i];
      }
      local int* swap = from;
      from = to;
      to = swap;
    })";

TEST_P(LaneGroups, ChangeBuffers) {
  const Group prefix = [](const int* in, int* out, int* told) {
    *told = 0;
    for (int i = 0; i < 64; ++i) out[i] = *told += in[i];
  };
  for (const char* body : {kChosen, kKept})
    check({kernel_of(32, "local int tree[2 * W], other[2 * W];", std::string(kRead) + body + kWrite + kTell),
           32,
           {32, 1, 1},
           prefix},
          body == kChosen && has_lanes());
}

// Kernels that are not to: groups go on differently, or in an order that others see, or on bytes.
TEST_P(LaneGroups, GoDifferentWays) {
  const std::string rounds = R"(
    const int rounds = (in[g * n] & 3) + 1;
    for (int round = 0; round < rounds; ++round) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const int mine = tree[(2 * l * 7 + round) % (2 * W)];
      barrier(CLK_LOCAL_MEM_FENCE);
      tree[(2 * l * 3) % (2 * W)] = mine;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    told[g] = rounds;)";
  const Group reference = [](const int* in, int* out, int* told) {
    std::vector<int> tree(in, in + 32);
    *told = (in[0] & 3) + 1;
    for (int round = 0; round < *told; ++round) {
      std::vector<int> mine(16);
      for (int l = 0; l < 16; ++l) mine[l] = tree[(2 * l * 7 + round) % 32];
      for (int l = 0; l < 16; ++l) tree[(2 * l * 3) % 32] = mine[l];
    }
    std::copy(tree.begin(), tree.end(), out);
  };
  check({kernel_of(16, "local int tree[2 * W];", kRead + rounds + kWrite), 16, {16, 1, 1}, reference}, false);
}

TEST_P(LaneGroups, CountForOthers) {
  const std::string tell = "\n    if (l == 0) atomic_xchg(&told[g], tree[2 * W - 1]);";
  check({kernel_of(32, "local int tree[2 * W];", std::string(kRead) + kUp + kWrite + tell), 32, {32, 1, 1}, sums(32)},
        false);
}

TEST_P(LaneGroups, AddUpBytes) {
  const Group reference = [](const int* in, int* out, int* told) {
    std::vector<unsigned char> tree(in, in + 64);
    add_up(tree, 32);
    std::copy(tree.begin(), tree.end(), out);
    *told = tree.back();
  };
  check(
      {kernel_of(32, "local uchar tree[2 * W];", std::string(kRead) + kUp + kWrite + kTell), 32, {32, 1, 1}, reference},
      false);
}

/// Random rounds over two arrays of local memory, as OpenCL C and as a reference: each item writes two places of the
/// second that are its own, of what it reads anywhere in the first; then it copies its two back.
class Rounds {
 public:
  Rounds(std::uint32_t seed, unsigned items) : random_(seed), items_(items), rounds_(1 + below(4)) {
    for (unsigned count = 1 + below(3); statements_.size() < count;)
      statements_.push_back(
          {below(9), below(9), below(64), below(9), below(64), below(kOperations), below(4), below(2)});
    shuffle_ = 2 * below(16) + 1;
  }

  [[nodiscard]] std::string source() const {
    std::string text =
        "    for (uint r = 0; r < " + std::to_string(rounds_) + "; ++r) {\n      barrier(CLK_LOCAL_MEM_FENCE);\n";
    text += "      uint own[2] = {as_uint(tree[2 * l]), as_uint(tree[2 * l + 1])};\n";
    for (const Statement& each : statements_) {
      const auto number = [](unsigned value) { return std::to_string(value) + "u"; };
      text += "      { const uint x = as_uint(tree[(" + number(each.a) + " * l + " + number(each.b) + " * r + " +
              number(each.c) + ") % (2 * W)]), y = as_uint(tree[(" + number(each.d) + " * l + " + number(each.e) +
              ") % (2 * W)]);\n";
      text += "        if (" + std::string(kConditions[each.condition]) + ") own[" + std::to_string(each.place) +
              "] = " + kTexts[each.operation] + "; }\n";
    }
    text += "      next[" + std::to_string(shuffle_) + " * (2 * l) % (2 * W)] = as_int(own[0]);\n      next[" +
            std::to_string(shuffle_) + " * (2 * l + 1) % (2 * W)] = as_int(own[1]);\n";
    return text +
           "      barrier(CLK_LOCAL_MEM_FENCE);\n      tree[2 * l] = next[2 * l];\n      tree[2 * l + 1] = next[2 * l "
           "+ 1];\n    }";
  }

  [[nodiscard]] Group reference() const {
    return [*this](const int* in, int* out, int* told) {
      std::vector<std::uint32_t> tree(in, in + 2 * items_), next(2 * items_);
      for (unsigned r = 0; r < rounds_; ++r) {
        for (unsigned l = 0; l < items_; ++l) {
          std::uint32_t own[2] = {tree[2 * l], tree[2 * l + 1]};
          for (const Statement& each : statements_) {
            const std::uint32_t x = tree[(each.a * l + each.b * r + each.c) % tree.size()];
            const std::uint32_t y = tree[(each.d * l + each.e) % tree.size()];
            if (holds(each.condition, l, r, x)) own[each.place] = done(each.operation, x, y, l);
          }
          for (unsigned k = 0; k < 2; ++k) next[shuffle_ * (2 * l + k) % next.size()] = own[k];
        }
        tree = next;
      }
      std::copy(tree.begin(), tree.end(), out);
      *told = static_cast<int>(tree.back());
    };
  }

 private:
  struct Statement {
    unsigned a, b, c, d, e, operation, condition, place;
  };
  static constexpr const char* kConditions[] = {"1", "l < (W >> r)", "(x & 1u) != 0", "((l ^ r) & 1u) == 0"};
  static constexpr const char* kTexts[] = {
      "x + y", "x * 3u - y", "x ^ (y >> (x & 7u))", "x / (1u + (y & 15u)) + (uint)l", "min(x, y)", "(x & 2u) ? x : ~y"};
  static constexpr unsigned kOperations = 6;

  [[nodiscard]] bool holds(unsigned condition, unsigned l, unsigned r, std::uint32_t x) const {
    const bool answers[] = {true, l < (items_ >> r), (x & 1U) != 0, ((l ^ r) & 1U) == 0};
    return answers[condition];
  }
  static std::uint32_t done(unsigned operation, std::uint32_t x, std::uint32_t y, unsigned l) {
    const std::uint32_t answers[] = {
        x + y, x * 3U - y, x ^ (y >> (x & 7U)), x / (1U + (y & 15U)) + l, std::min(x, y), (x & 2U) != 0 ? x : ~y};
    return answers[operation];
  }
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  std::mt19937 random_;
  unsigned items_, rounds_, shuffle_ = 1;
  std::vector<Statement> statements_;
};

TEST_P(LaneGroups, DoRandomRounds) {
  const auto& ways = every_way();
  const auto way = static_cast<std::uint32_t>(std::distance(
      ways.begin(),
      std::find_if(ways.begin(), ways.end(), [](const Way& each) { return name_of(each) == name_of(GetParam()); })));
  unsigned side_by_side = 0;
  for (std::uint32_t number = 0; number < 5; ++number) {
    const unsigned items = 8U << number % 3;
    const Rounds rounds(100 * way + number, items);
    const std::string source =
        kernel_of(items, "local int tree[2 * W], next[2 * W];", kRead + ("\n" + rounds.source()) + kWrite + kTell);
    SCOPED_TRACE(source);
    side_by_side += check({source, items, {items, 1, 1}, rounds.reference()}, std::nullopt) ? 1 : 0;
  }
  EXPECT_GE(side_by_side, has_lanes() ? 1u : 0u);
}

// Memory is the launch's to give.
TEST_P(LaneGroups, RunAloneWithoutMemory) {
  const std::string source = kernel_of(64, "local int tree[2 * W];", std::string(kRead) + kUp + kWrite + kTell);
  Program code(source, GetParam());
  code.run_groups_alone();
  std::vector<int> in = numbers(40 * 128), out(in.size()), told(40), expected(in.size()), expected_told(40);
  for (int g = 0; g < 40; ++g) sums(64)(&in[g * 128], &expected[g * 128], &expected_told[g]);
  code.run("tree", line(40, 64), Arguments().buffer(out).buffer(in).buffer(told).value(128));
  EXPECT_EQ(out, expected);
  EXPECT_EQ(told, expected_told);
}

INSTANTIATE_TEST_SUITE_P(Ways, LaneGroups, testing::ValuesIn(ways_of("LaneGroups")),
                         [](const auto& test) { return name_of(test.param); });

}  // namespace
}  // namespace skmd::cpu::test
