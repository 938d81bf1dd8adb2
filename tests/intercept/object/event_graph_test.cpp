// SPDX-License-Identifier: Apache-2.0
// Random graphs over several queues, user events and threads: in every schedule, all that a command depends on has
// ended when it runs, failures reach exactly what depends on them, and everything ends.
#include <random>
#include <thread>

#include "tests/intercept/object/graph_fixture.h"

namespace skmd::icd::test {
namespace {

struct Node {
  Ref<Event> event;
  std::vector<Ref<Event>> list;
  bool fails = false;
  std::atomic<int> runs{0};
  std::atomic<bool> saw_open_dependency{false};
};

class RandomGraph : public Graph, public ::testing::WithParamInterface<unsigned> {
 protected:
  static constexpr int kThreads = 8;
  static constexpr int kCommands = 150;  // per thread

  /// One thread of the application: its own nodes, events of its own and of a shared pool.
  void enqueue_some(unsigned seed, std::vector<std::unique_ptr<Node>>& nodes, std::vector<Ref<Queue>>& queues) {
    std::mt19937 random(seed);
    for (int i = 0; i < kCommands; ++i) {
      auto node = std::make_unique<Node>();
      for (unsigned k = random() % 4; k > 0; --k) {
        const std::lock_guard lock(pool_mutex_);
        node->list.push_back(pool_[random() % pool_.size()]);
      }
      node->fails = random() % 20 == 0;
      Node* raw = node.get();
      node->event = enqueue(
          queues[random() % queues.size()],
          [raw] {
            ++raw->runs;
            for (const auto& event : raw->list)
              if (event->status() != CL_COMPLETE) raw->saw_open_dependency = true;
            return raw->fails ? CL_OUT_OF_RESOURCES : CL_COMPLETE;
          },
          node->list);
      {
        const std::lock_guard lock(pool_mutex_);
        pool_.push_back(node->event);
      }
      nodes.push_back(std::move(node));
    }
  }

  std::mutex pool_mutex_;
  std::vector<Ref<Event>> pool_;
};

TEST_P(RandomGraph, EveryCommandRunsOnceAfterItsDependenciesOrFailsForThem) {
  std::vector<Ref<Event>> gates;
  for (int i = 0; i < 20; ++i) gates.push_back(user_event());
  pool_ = gates;
  std::vector<Ref<Queue>> queues;
  for (int i = 0; i < 4; ++i) queues.push_back(queue(i % 2 == 0 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0));
  const bool ordered = GetParam() % 2 == 0;
  if (!ordered) queues = {queues[0], queues[2]};

  std::vector<std::vector<std::unique_ptr<Node>>> nodes(kThreads);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] { enqueue_some(GetParam() * 100 + t, nodes[t], queues); });
  std::mt19937 random(GetParam());
  for (const auto& gate : gates) gate->complete(random() % 5 == 0 ? -100 : CL_COMPLETE);
  for (auto& thread : threads) thread.join();
  for (const auto& each : queues) each->finish();

  for (const auto& list : nodes)
    for (const auto& node : list) {
      ASSERT_TRUE(node->event->ended());
      EXPECT_FALSE(node->saw_open_dependency);
      const cl_int status = node->event->status();
      bool dependency_failed = false;
      for (const auto& event : node->list) dependency_failed |= event->status() < 0;
      if (dependency_failed) {
        EXPECT_EQ(status, kDependencyFailed);
      } else if (!ordered) {
        EXPECT_EQ(status, node->fails ? CL_OUT_OF_RESOURCES : CL_COMPLETE);
      }
      EXPECT_EQ(node->runs, status == kDependencyFailed ? 0 : 1);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraph, ::testing::Range(1u, 7u));

}  // namespace
}  // namespace skmd::icd::test
