// SPDX-License-Identifier: Apache-2.0
// Searches of graphs, which set marks at places that memory tells, against the same in C++.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {
namespace {

constexpr std::size_t kNodes = 5000;

struct Graph {
  Graph() {
    std::mt19937 random(5);
    for (std::size_t node = 0; node < kNodes; ++node) {
      first.push_back(static_cast<int>(edges.size()));
      const unsigned degree = random() % 16 == 0 ? random() % 100 : random() % 5;
      for (unsigned k = 0; k < degree; ++k) edges.push_back(static_cast<int>(random() % kNodes));
    }
    first.push_back(static_cast<int>(edges.size()));
  }
  std::vector<int> first, edges;
};

/// Nodes at 0 mark what they lead to and what is at -1; a few nodes are at 0, most at -1, others at 7.
template <class T>
std::vector<T> marks_before() {
  std::vector<T> marks(kNodes);
  for (std::size_t i = 0; i < kNodes; ++i) marks[i] = static_cast<T>(i % 41 == 0 ? 0 : i % 5 == 0 ? 7 : -1);
  return marks;
}

template <class T>
void search(const Way& way, const std::string& type) {
  Program program("typedef " + type + R"( T;
    kernel void k(global const int* first, global const int* edges, global T* marks, global T* found, T mark) {
      const int node = get_global_id(0);
      if (marks[node] != 0) return;
      for (int k = first[node]; k < first[node + 1]; ++k)
        if (marks[edges[k]] < 0) {
          marks[edges[k]] = mark;
          *found = mark;
        }
    })",
                  way);
  const Graph graph;
  std::vector<int> first = graph.first, edges = graph.edges;
  const T mark = 3;
  std::vector<T> marks = marks_before<T>(), found = {0, 9, 9, 9}, expected = marks;
  for (std::size_t node = 0; node < kNodes; ++node)
    for (int k = first[node]; marks[node] == 0 && k < first[node + 1]; ++k) {
      T& other = expected[static_cast<std::size_t>(edges[static_cast<std::size_t>(k)])];
      if (other < 0) other = mark;
    }
  program.run("k", line(kNodes / 50, 50),
              Arguments().buffer(first).buffer(edges).buffer(marks).buffer(found).value(mark), 7);
  EXPECT_EQ(marks, expected);
  EXPECT_EQ(found, (std::vector<T>{mark, 9, 9, 9})) << "and nothing beside it";
}

class Marks : public testing::TestWithParam<Way> {};

TEST_P(Marks, OfNumbersOfFourAndEightBytes) {
  search<std::int32_t>(GetParam(), "int");
  search<std::int64_t>(GetParam(), "long");
  search<float>(GetParam(), "float");
  search<double>(GetParam(), "double");
}

TEST_P(Marks, WhereNothingIsFoundNothingIsStored) {
  Program program(R"(
    kernel void k(global const int* first, global const int* edges, global int* marks, global int* found, int mark) {
      const int node = get_global_id(0);
      for (int k = first[node]; k < first[node + 1]; ++k) {
        const int n = edges[k];
        if (marks[n] >= 0) continue;
        marks[n] = mark;
        *found = 1;
      }
    })",
                  GetParam());
  const Graph graph;
  std::vector<int> first = graph.first, edges = graph.edges, marks(kNodes, 4), found(1, 0);
  program.run("k", line(kNodes / 50, 50), Arguments().buffer(first).buffer(edges).buffer(marks).buffer(found).value(3),
              7);
  EXPECT_EQ(marks, std::vector<int>(kNodes, 4));
  EXPECT_EQ(found[0], 0);
}

INSTANTIATE_TEST_SUITE_P(Every, Marks, testing::ValuesIn(all_ways()),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
