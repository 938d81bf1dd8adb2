// SPDX-License-Identifier: Apache-2.0
#include "kernels/bfs_level.h"

#include "bench/support/random.h"
#include "bench/support/runner.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 256;
constexpr int kLevel = 3;

/// Edges of node i are edges[first_edge[i]] to edges[first_edge[i + 1]].
struct Graph {
  std::vector<cl_int> first_edge, edges;
};

/// Most nodes have a few neighbours, one in 64 has up to 255.
Graph make_graph(std::size_t nodes) {
  Random random(11);
  Graph graph;
  for (std::size_t node = 0; node < nodes; ++node) {
    graph.first_edge.push_back(static_cast<cl_int>(graph.edges.size()));
    const std::uint32_t degree = random.below(64) == 0 ? random.below(256) : random.below(8);
    for (std::uint32_t k = 0; k < degree; ++k)
      graph.edges.push_back(static_cast<cl_int>(random.below(static_cast<std::uint32_t>(nodes))));
  }
  graph.first_edge.push_back(static_cast<cl_int>(graph.edges.size()));
  return graph;
}

class BfsLevel : public Workload {
 public:
  BfsLevel(const Device& device, Size size)
      : device_(device),
        nodes_(by_size<std::size_t>(size, 1 << 14, 1 << 21, 1 << 22, 1 << 24)),
        graph_(make_graph(nodes_)),
        first_(device.host(graph_.first_edge)),
        edges_(device.host(graph_.edges)),
        before_(device.host(levels_before())),
        levels_(device.host<cl_int>(nodes_)),
        found_(device.host<cl_int>(1)),
        program_(device.build(kernels::kBfsLevel)),
        kernel_(program_, "bfs_level"),
        first_buffer_(device.buffer(CL_MEM_READ_ONLY, first_.size() * sizeof(cl_int))),
        edges_buffer_(device.buffer(CL_MEM_READ_ONLY, edges_.size() * sizeof(cl_int))),
        levels_buffer_(device.buffer(CL_MEM_READ_WRITE, nodes_ * sizeof(cl_int))),
        found_buffer_(device.buffer(CL_MEM_READ_WRITE, sizeof(cl_int))) {}

  void prepare() override {
    spoil(levels_);
    found_[0] = 0;
  }

  void run() override {
    device_.write(first_buffer_, first_);
    device_.write(edges_buffer_, edges_);
    device_.write(levels_buffer_, before_);
    device_.write(found_buffer_, found_);
    kernel_.set(first_buffer_, edges_buffer_, levels_buffer_, found_buffer_, static_cast<cl_int>(nodes_),
                static_cast<cl_int>(kLevel));
    device_.launch(kernel_, range_1d(nodes_, kGroup));
    device_.read(levels_buffer_, levels_);
    device_.read(found_buffer_, found_);
  }

  Verdict check() override {
    if (expected_.empty()) {
      expected_.assign(before_.begin(), before_.end());
      for (std::size_t node = 0; node < nodes_; ++node)
        if (before_[node] == kLevel) visit(node, expected_, kLevel + 1);
    }
    if (found_[0] != 1) return {"all", false, "nothing was found"};
    return check_outputs(nodes_, 1, [this](std::size_t i) { return judge_equal(levels_[i], expected_[i]); });
  }

 private:
  void visit(std::size_t node, std::vector<cl_int>& levels, int level) const {
    for (auto k = graph_.first_edge[node]; k < graph_.first_edge[node + 1]; ++k) {
      cl_int& neighbour = levels[static_cast<std::size_t>(graph_.edges[static_cast<std::size_t>(k)])];
      if (neighbour < 0) neighbour = level;
    }
  }

  /// From one node in 4096 as starting points: about a tenth of the nodes is then at kLevel.
  std::vector<cl_int> levels_before() const {
    std::vector<cl_int> levels(nodes_, -1);
    for (std::size_t node = 0; node < nodes_; node += 4096) levels[node] = 0;
    for (int level = 0; level < kLevel; ++level) {
      const std::vector<cl_int> now = levels;
      for (std::size_t node = 0; node < nodes_; ++node)
        if (now[node] == level) visit(node, levels, level + 1);
    }
    return levels;
  }

  const Device& device_;
  std::size_t nodes_;
  Graph graph_;
  std::span<cl_int> first_, edges_, before_, levels_, found_;
  std::vector<cl_int> expected_;
  Program program_;
  Kernel kernel_;
  Buffer first_buffer_, edges_buffer_, levels_buffer_, found_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::BfsLevel>(argc, argv, "bfs_level", "One level of a breadth-first search");
}
