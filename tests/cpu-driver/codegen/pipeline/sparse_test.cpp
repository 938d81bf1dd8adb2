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
  // As many edges as an item's number says, 0 to 12, with gaps in `nodes` where nobody may look.
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

INSTANTIATE_TEST_SUITE_P(Every, Sparse, testing::ValuesIn(all_ways()),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
