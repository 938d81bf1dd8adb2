// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/kernel_run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <set>
#include <thread>
#include <vector>

#include "cpu-driver/runtime/scratch.h"
#include "tests/cpu-driver/hand-code/artifact.h"
#include "tests/cpu-driver/runtime/kernel_code.h"

namespace skmd::cpu::test {
namespace {

KernelCode code_of(const std::string& name) {
  static const auto library = SpanLibrary::load(hand_code(), "");
  return library ? (*library)->kernel(name) : KernelCode{};
}

class KernelRun : public testing::TestWithParam<unsigned> {
 protected:
  Pool pool_{GetParam()};
  ItemCost cost_;
};

TEST_P(KernelRun, RunsEachGroupOnce) {
  for (const std::uint64_t groups : {1, 2, 7, 100, 5000}) {
    for (int round = 0; round < 3; ++round) {  // the cost is known from the second on
      std::vector<std::uint32_t> counts(groups + 2);
      const SpanArgument arguments[] = {whole(counts)};
      SpanFrame frame = line(groups + 2, 4);
      frame.arguments = arguments;
      ASSERT_TRUE(run_kernel(pool_, code_of("count_groups").run, frame, 0, 1, groups + 1, cost_));
      for (std::uint64_t i = 0; i < counts.size(); ++i)
        ASSERT_EQ(counts[i], i >= 1 && i <= groups ? 1u : 0u) << i << " of " << groups;
    }
  }
}

TEST_P(KernelRun, KeepsGroupsTogetherThatRunSideBySide) {
  constexpr std::uint64_t kFirst = 3, kGroups = 5000, kLanes = 16;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::uint32_t> pieces(kFirst + kGroups);
    const SpanArgument arguments[] = {whole(pieces)};
    SpanFrame frame = line(pieces.size(), 4);
    frame.arguments = arguments;
    frame.lane_groups = kLanes;
    ASSERT_TRUE(run_kernel(pool_, code_of("tell_pieces").run, frame, 0, kFirst, pieces.size(), cost_));
    for (std::uint64_t at = kFirst; at < pieces.size(); at += pieces[at]) {
      ASSERT_NE(pieces[at], 0u) << "at " << at;
      if (at + pieces[at] != pieces.size()) {
        ASSERT_EQ(pieces[at] % kLanes, 0u) << "at " << at;
      }
    }
  }
}

TEST_P(KernelRun, RunsLongGroupsOnceToo) {
  std::vector<std::uint32_t> out(300);
  Value rounds(std::uint32_t{20000});
  const SpanArgument arguments[] = {whole(out), rounds.argument()};
  SpanFrame frame = line(out.size(), 1);
  frame.arguments = arguments;
  std::vector<std::uint32_t> expected;
  for (int round = 0; round < 3; ++round) {
    std::fill(out.begin(), out.end(), 0u);
    ASSERT_TRUE(run_kernel(pool_, code_of("work_hard").run, frame, 0, 0, out.size(), cost_));
    if (expected.empty()) {
      code_of("work_hard").run(&frame, 0, out.size(), nullptr);
      expected = out;
    }
    EXPECT_EQ(out, expected);
  }
  EXPECT_GT(cost_.nanoseconds(), 100.0f);
}

TEST_P(KernelRun, GivesEachCallItsOwnScratchMemory) {
  const KernelCode code = code_of("use_scratch");
  constexpr std::uint64_t kItems = 37;
  const std::uint64_t sizes[] = {kItems * 4, kItems * 4};
  const auto layout = scratch_layout(code.facts, {kItems, 1, 1}, sizes);
  ASSERT_TRUE(layout);
  std::vector<std::uint32_t> out(4000);
  const auto at = [&](std::size_t i) {
    return SpanArgument{reinterpret_cast<std::byte*>(layout->local_arguments[i]), nullptr, sizes[i]};
  };
  const SpanArgument arguments[] = {whole(out), at(0), at(1)};
  SpanFrame frame = line(out.size(), kItems);
  frame.arguments = arguments;
  frame.items_offset = layout->items_offset;
  ASSERT_TRUE(run_kernel(pool_, code.run, frame, layout->bytes, 0, out.size(), cost_));
  EXPECT_EQ(out, std::vector<std::uint32_t>(out.size(), 1));
}

TEST_P(KernelRun, WithoutMemoryNothingRuns) {
  std::vector<std::uint32_t> counts(4);
  const SpanArgument arguments[] = {whole(counts)};
  SpanFrame frame = line(4, 1);
  frame.arguments = arguments;
  const auto ran = run_kernel(pool_, code_of("count_groups").run, frame, std::uint64_t{1} << 60, 0, 4, cost_);
  ASSERT_FALSE(ran);
  EXPECT_NE(ran.error().reason.find("memory"), std::string::npos);
  EXPECT_EQ(counts, std::vector<std::uint32_t>(4));
}

TEST_P(KernelRun, ManyLaunchesAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        std::vector<std::uint32_t> counts(500);
        const SpanArgument arguments[] = {whole(counts)};
        SpanFrame frame = line(counts.size(), 1);
        frame.arguments = arguments;
        const bool ran = run_kernel(pool_, code_of("count_groups").run, frame, 64, 0, counts.size(), cost_).ok();
        wrong += !ran || counts != std::vector<std::uint32_t>(counts.size(), 1) ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Threads, KernelRun, testing::Values(1u, 2u, 5u));

std::atomic<int> rounding{-1};
std::atomic<int> inside{0};

TEST(KernelRunFloats, AreNotTheCallers) {
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  Pool pool(1);
  ItemCost cost;
  const KernelFunction look = [](const SpanFrame*, std::uint64_t, std::uint64_t, std::byte*) {
    volatile float one = 1.0f;
    volatile float tiny = 1e-10f;
    rounding = one + tiny == 1.0f ? FE_TONEAREST : FE_UPWARD;
  };
  const bool ran = run_kernel(pool, look, line(1, 1), 0, 0, 1, cost).ok();
  const int after = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_TRUE(ran);
#if defined(__x86_64__)
  EXPECT_EQ(rounding, FE_TONEAREST);
#endif
  EXPECT_EQ(after, FE_UPWARD);
}

TEST(KernelRunThreads, CheapGroupsStayWithTheCaller) {
  Pool pool(4);
  ItemCost cost;
  static std::thread::id caller;
  static std::atomic<int> elsewhere;
  caller = std::this_thread::get_id();
  elsewhere = 0;
  const KernelFunction look = [](const SpanFrame*, std::uint64_t, std::uint64_t, std::byte*) {
    if (std::this_thread::get_id() != caller) ++elsewhere;
  };
  int alone = 0;
  for (int round = 0; round < 100; ++round) {
    elsewhere = 0;
    ASSERT_TRUE(run_kernel(pool, look, line(8, 1), 0, 0, 8, cost));
    alone += elsewhere == 0 ? 1 : 0;
  }
  EXPECT_GT(alone, 50);  // a thread that loses its processor in between looks expensive
}

/// Due once `left` threads have asked.
class CountedYield : public Yield {
 public:
  explicit CountedYield(int left) : left_(left) {}
  [[nodiscard]] bool due() const noexcept override { return left_.fetch_sub(1) <= 0; }
  void ran(std::uint64_t groups) const noexcept override { ran_ += groups; }
  [[nodiscard]] std::uint64_t groups() const { return ran_; }

 private:
  mutable std::atomic<int> left_;
  mutable std::atomic<std::uint64_t> ran_{0};
};

TEST_P(KernelRun, ALaunchThatYieldsHasRunWhatComesBeforeItsEndAndNothingElse) {
  for (const std::uint64_t groups : {1, 2, 100, 5000})
    for (const int asked : {0, 1, 2, 5, 1000000}) {
      std::vector<std::uint32_t> counts(groups + 1);
      const SpanArgument arguments[] = {whole(counts)};
      SpanFrame frame = line(groups + 1, 4);
      frame.arguments = arguments;
      std::uint64_t first = 1;
      int parts = 0;
      for (; first <= groups; ++parts) {
        const CountedYield yield(asked);
        const auto ran =
            run_kernel(pool_, code_of("count_groups").run, frame, 0, first, groups + 1, cost_, {nullptr, &yield});
        ASSERT_TRUE(ran);
        ASSERT_GT(ran->last, first) << "every call gets on";
        ASSERT_LE(ran->last, groups + 1);
        ASSERT_EQ(yield.groups(), ran->last - first) << "it is told of what has run";
        for (std::uint64_t i = 1; i <= groups; ++i) ASSERT_EQ(counts[i], i < ran->last ? 1u : 0u) << i;
        first = ran->last;
      }
      if (asked == 1000000) {
        EXPECT_EQ(parts, 1);
      }
    }
}

TEST_P(KernelRun, NoFurtherPieceBeginsOnceALaunchIsToYield) {
  static std::atomic<std::uint64_t> calls;
  const KernelFunction count = [](const SpanFrame*, std::uint64_t first, std::uint64_t last, std::byte*) {
    calls += last - first;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  };
  calls = 0;
  const CountedYield yield(0);
  const auto ran = run_kernel(pool_, count, line(1000, 1), 0, 0, 1000, cost_, {nullptr, &yield});
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->last, calls.load());
  EXPECT_LE(ran->last, GetParam()) << "a group a thread at most";
}

TEST_P(KernelRun, SingleGroupsAreAskedForBeforeEach) {
  static std::atomic<std::uint64_t> most;
  const KernelFunction look = [](const SpanFrame*, std::uint64_t first, std::uint64_t last, std::byte*) {
    std::uint64_t known = most.load();
    while (known < last - first && !most.compare_exchange_weak(known, last - first)) {
    }
  };
  for (const bool single : {false, true}) {
    most = 0;
    const CountedYield yield(1000000);
    for (int round = 0; round < 2; ++round)  // the cost is known at the second
      ASSERT_TRUE(run_kernel(pool_, look, line(5000, 1), 0, 0, 5000, cost_, {nullptr, &yield, single}));
    if (single) {
      EXPECT_EQ(most, 1u);
    } else {
      EXPECT_GT(most, 1u);
    }
  }
}

TEST(KernelRunThreads, TellsHowLateThreadsBegan) {
  static constexpr std::chrono::milliseconds kGroup{2};
  ItemCost cost;
  const KernelFunction work = [](const SpanFrame*, std::uint64_t first, std::uint64_t last, std::byte*) {
    std::this_thread::sleep_for(kGroup * (last - first));
  };
  // The pool's only other thread is at another job until the kernel's groups are done.
  Pool two(2);
  std::atomic<int> arrived{0};
  std::atomic<bool> over{false};
  std::thread other([&] {
    two.run(2, [&](std::size_t) {
      ++arrived;
      while (!over) std::this_thread::yield();
    });
  });
  while (arrived < 2) std::this_thread::yield();
  const auto begin = std::chrono::steady_clock::now();
  const auto ran = run_kernel(two, work, line(8, 1), 0, 0, 8, cost);
  const std::chrono::nanoseconds wall = std::chrono::steady_clock::now() - begin;
  over = true;
  other.join();
  // The caller has run the first group before it called for help, and the other seven because none came.
  ASSERT_TRUE(ran);
  EXPECT_GE(ran->waited_ns, static_cast<std::uint64_t>(std::chrono::nanoseconds(7 * kGroup).count()) / 2 - 1);
  EXPECT_LE(ran->waited_ns, static_cast<std::uint64_t>(wall.count()));
}

TEST(KernelRunThreads, ExpensiveGroupsAreShared) {
  Pool pool(2);
  ItemCost cost;
  inside = 0;
  // Each group after the first waits for another: with one thread this would never end.
  const KernelFunction meet = [](const SpanFrame*, std::uint64_t first, std::uint64_t, std::byte*) {
    if (first == 0) return std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++inside;
    while (inside < 2) std::this_thread::yield();
  };
  ASSERT_TRUE(run_kernel(pool, meet, line(3, 1), 0, 0, 3, cost));
  EXPECT_EQ(inside, 2);
}

}  // namespace
}  // namespace skmd::cpu::test
