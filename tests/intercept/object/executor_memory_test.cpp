// SPDX-License-Identifier: Apache-2.0
// Posting where memory runs out.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <new>

#include "intercept/machine/executor.h"
#include "tests/intercept/launch/allocation_counter.h"

namespace skmd::icd {
namespace {

using namespace std::chrono_literals;

/// Posts work that the only worker waits for, with `count` allocations from the n-th on failing. Whether it was posted.
bool wait_for_what_is_posted(std::size_t n, std::size_t count) {
  Executor executor;
  const auto begun = std::make_shared<std::promise<void>>(), ran = std::make_shared<std::promise<void>>();
  std::shared_future<void> gate = ran->get_future().share();
  executor.post([begun, gate] {
    begun->set_value();
    gate.wait_for(6s);
  });
  begun->get_future().wait();
  std::function<void()> work = [ran] { ran->set_value(); };
  try {
    test::fail_allocation(n, count);
    executor.post(std::move(work));
    test::fail_allocation(0);
  } catch (const std::bad_alloc&) {
    test::fail_allocation(0);
    ran->set_value();  // no other thread will
    return false;
  }
  const bool ended = gate.wait_for(5s) == std::future_status::ready;
  EXPECT_TRUE(ended) << "allocation " << n << " and those up to " << n + count - 1 << " failed";
  return true;
}

TEST(ExecutorMemory, WorkThatAWorkerWaitsForRunsWhereNoThreadCanBeMadeForIt) {
  constexpr std::size_t kMax = 12;  // more than posting and two threads take
  std::size_t posted = 0;
  for (const std::size_t count : {1, 2, 100})
    for (std::size_t n = 1; n <= kMax; ++n) posted += wait_for_what_is_posted(n, count) ? 1 : 0;
  EXPECT_GT(posted, kMax);
}

/// Posts the first work with the n-th allocation failing, and keeps what it waits for until it has begun.
void post_what_waits_for_the_poster(std::size_t n) {
  Executor executor;
  const auto ended = std::make_shared<std::promise<bool>>();
  const auto free = std::make_shared<std::promise<void>>();
  std::shared_future<void> gate = free->get_future().share();
  std::function<void()> work = [ended, gate] { ended->set_value(gate.wait_for(2s) == std::future_status::ready); };
  std::future<bool> good = ended->get_future();
  try {
    test::fail_allocation(n, 1);
    executor.post(std::move(work));
    test::fail_allocation(0);
  } catch (const std::bad_alloc&) {  // nothing was posted
    test::fail_allocation(0);
    return;
  }
  free->set_value();
  EXPECT_TRUE(good.get()) << "it ran inside post(), allocation " << n << " having failed";
}

TEST(ExecutorMemory, FirstWorkRunsOnAThreadOfItsOwnThoughTheFirstTryFails) {
  for (std::size_t n = 1; n <= 12; ++n) post_what_waits_for_the_poster(n);
}

}  // namespace
}  // namespace skmd::icd
