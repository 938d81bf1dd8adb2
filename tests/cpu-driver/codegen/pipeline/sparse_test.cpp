// SPDX-License-Identifier: Apache-2.0
// Kernels in which few items have work, and each its own amount, against the same in C++.
#include <gtest/gtest.h>

#include <climits>
#include <string>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

// Items of one kind count at the places that their edges name; what only they may read, others would fault on.
const std::string kSource = R"(
  kernel void count(global const int* kinds, global const int* nodes, global const int* first, global const int* edges,
                    global int* counts, int kind) {
    const int i = (get_global_id(1) * get_global_size(0)) + get_global_id(0) - get_global_offset(0);
    if (kinds[i] != kind) return;
    const int node = nodes[i];
    if (first[node] == first[node + 1]) return;
    for (int k = first[node]; k < first[node + 1]; ++k) atomic_add(counts + edges[k], i + 1);
  }
  kernel void mark(global const int* kinds, global const int* nodes, global const int* first, global const int* edges,
                   global int* counts, int kind) {
    const int i = get_global_id(0);
    if (kinds[i] == kind) {
      const int node = nodes[i];
      for (int k = first[node]; k < first[node + 1]; ++k) {
        counts[edges[k]] = 7;
        if (edges[k] % 5 == 0) break;
      }
    }
  })";

class Sparse : public testing::TestWithParam<Way> {
 protected:
  // As many edges as an item's number says, 0 to 12, with gaps in `nodes` that must not be read.
  void make(std::uint64_t items, int one_in) {
    unsigned random = 1;
    const auto next = [&random] { return (random = random * 1664525u + 1013904223u) >> 8; };
    kinds.clear(), nodes.clear(), first.clear(), edges.clear();
    for (std::uint64_t i = 0; i < items; ++i) {
      const bool chosen = next() % static_cast<unsigned>(one_in) == 0;
      kinds.push_back(chosen ? 3 : static_cast<int>(next() % 3));
      nodes.push_back(chosen ? static_cast<int>(first.size()) : INT_MIN);
      if (!chosen) continue;
      first.push_back(static_cast<int>(edges.size()));
      for (unsigned k = next() % 13; k > 0; --k) edges.push_back(static_cast<int>(next() % 97));
    }
    first.push_back(static_cast<int>(edges.size()));
    edges.push_back(0);
  }

  // An item's edges.
  [[nodiscard]] int begin(std::size_t i) const { return kinds[i] == 3 ? first[nodes[i]] : 0; }
  [[nodiscard]] int end(std::size_t i) const { return kinds[i] == 3 ? first[nodes[i] + 1] : 0; }

  std::vector<int> run(const std::string& kernel, Program& program, const Shape& shape, std::uint64_t span) {
    std::vector<int> counts(97);
    program.run(kernel, shape,
                Arguments().buffer(kinds).buffer(nodes).buffer(first).buffer(edges).buffer(counts).value(3), span);
    return counts;
  }

  std::vector<int> kinds, nodes, first, edges;
};

TEST_P(Sparse, ItemsWithWorkDoIt) {
  Program program(kSource, GetParam());
  for (const Shape& shape : {line(40, 1), line(7, 13), line(3, 64), line(2, 100), line(1, 1024), line(1, 2500),
                             line(30, 100), line(50, 100), Shape{{3, 2, 1}, {40, 3, 1}, {5, 0, 0}, 2}})
    for (const int one_in : {1, 9, 5000}) {
      make(shape.items(), one_in);
      std::vector<int> expected(97);
      for (std::size_t i = 0; i < kinds.size(); ++i)
        for (int e = begin(i); e < end(i); ++e) expected[edges[e]] += static_cast<int>(i) + 1;
      for (const std::uint64_t span : {3ull, ~0ull})
        EXPECT_EQ(run("count", program, shape, span), expected)
            << shape.local[0] << " items, one in " << one_in << ", spans of " << span;
    }
}

TEST_P(Sparse, ItemsLeaveTheirLoopsInTheMiddle) {
  Program program(kSource, GetParam());
  for (const Shape& shape : {line(7, 13), line(3, 64), line(2, 1500)}) {
    make(shape.items(), 4);
    std::vector<int> expected(97);
    for (std::size_t i = 0; i < kinds.size(); ++i)
      for (int e = begin(i); e < end(i); ++e) {
        expected[edges[e]] = 7;
        if (edges[e] % 5 == 0) break;
      }
    EXPECT_EQ(run("mark", program, shape, ~0ull), expected) << shape.local[0] << " items";
  }
}

// Loops in loops, several of them, ones that begin in the middle or whose first turn does something else, with what
// they read first told by quotients, members and pointers.
const std::string kShapes = R"(
  kernel void nested(global const int* kinds, global const int* first, global const int* edges, global int* out) {
    const int i = get_global_id(0);
    if (kinds[i] == 0) return;
    for (int k = first[i]; k < first[i + 1]; ++k)
      for (int m = first[edges[k]]; m < first[edges[k] + 1]; ++m) out[edges[m]] += k;
  }
  kernel void several(global const int* kinds, global const int* first, global const int* edges, global int* out) {
    const int i = get_global_id(0);
    if (kinds[i] == 1) {
      for (int k = first[i]; k < first[i + 1]; ++k) out[edges[k]] = i;
    } else if (kinds[i] == 2) {
      for (long k = first[i] + kinds[i + 1]; k < first[i + 1]; k += 2) out[edges[k + edges[i] % 2]] += 4;
    } else if (kinds[i] == 3) {
      out[edges[i]] = 7;
    }
    if (kinds[i] == 4)
      for (int k = first[i + 1] - 1; k >= first[i]; --k) out[edges[k]] ^= k;
  }
  kernel void cases(global const int* kinds, global const int* first, global const int* edges, global int* out) {
    const int i = get_global_id(0);
    switch (kinds[i]) {
      case 0: return;
      case 1:
        for (uint k = (uint)first[i] / (first[i + 1] - first[i] + 1); k < 40; k = 2 * k + 1) out[edges[k % 64]] = k;
        break;
      case 2:
        if (first[i] % 2 == 0) return;
        do out[edges[i]] += 1;
        while (out[edges[i]] % 5 != 0);
        break;
      default:
        for (int k = first[i]; k < first[i + 1]; ++k) {
          if (k % 3 == 0) continue;
          if (kinds[edges[k]] == 0) return;
          out[edges[edges[k]]] += 1;
        }
    }
  }
  kernel void chains(global const int* kinds, global const int* first, global const int* edges, global int* out) {
    const int i = get_global_id(0);
    int k = kinds[i] == 2 ? edges[i] : -1;
    for (int n = 0; k >= 0 && n < 9; ++n) {
      if (out[k] == -3) return;
      out[k] = -3;
      k = edges[k] == k ? -1 : edges[k];
    }
  }
  typedef struct { global int* to; int first; } Work;
  kernel void members(global const int* kinds, global const int2* first, global const int* edges, global int* out) {
    const int i = get_global_id(0);
    if (kinds[i] < 3) return;
    const int2 both = first[i / 2];
    Work work = {kinds[i] == 3 ? out : out + 1, both.x};
    for (int k = work.first; k < both.y; ++k) work.to[edges[k]] += both.x;
  })";

TEST_P(Sparse, LoopsOfManyShapesDoWhatOneLaneDoes) {
  constexpr std::size_t kItems = 5000;
  Program program(kShapes, GetParam());
  Program one_lane(kShapes, {GetParam().isa, 1});
  unsigned random = 7;
  const auto next = [&random](unsigned below) { return ((random = random * 1664525u + 1013904223u) >> 8) % below; };
  for (const unsigned kinds_of_work : {5u, 100u}) {
    std::vector<int> kind, begin, edge;
    for (std::size_t i = 0; i < kItems + 2; ++i) {
      const unsigned chosen = next(kinds_of_work);
      kind.push_back(chosen < 5 ? static_cast<int>(chosen) : 0);
      begin.push_back(static_cast<int>(edge.size()));
      for (unsigned k = next(7); k > 0; --k) edge.push_back(static_cast<int>(next(kItems)));
    }
    edge.resize(edge.size() + kItems);
    for (const char* kernel : {"nested", "several", "cases", "chains", "members"})
      for (const Shape& shape : {line(1, kItems), line(kItems / 50, 50), line(kItems / 8, 8)}) {
        std::vector<int> expected(kItems + 1), found(kItems + 1);
        one_lane.run(kernel, shape, Arguments().buffer(kind).buffer(begin).buffer(edge).buffer(expected), ~0ull);
        program.run(kernel, shape, Arguments().buffer(kind).buffer(begin).buffer(edge).buffer(found), ~0ull);
        EXPECT_EQ(found, expected) << kernel << ", " << shape.local[0] << " items, one in " << kinds_of_work;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Sparse, testing::ValuesIn(ways_of("Sparse")),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
