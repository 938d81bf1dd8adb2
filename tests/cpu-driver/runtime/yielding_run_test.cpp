// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/yielding_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <vector>

#include "cpu-driver/runtime/scratch.h"
#include "tests/cpu-driver/runtime/kernel_code.h"

namespace skmd::cpu::test {
namespace {

constexpr std::uint64_t kItems = 4;    // of a group
constexpr std::uint32_t kRounds = 50;  // of a group's loop
constexpr std::uint64_t kLocal = 16;   // bytes of a group's local memory

// Code as generators make it, of a group whose items leave together: in each round it counts, in the buffer and in
// local memory, and looks at the control word.
void count_rounds(const SpanFrame* frame, std::uint64_t first, std::uint64_t last, std::byte* scratch) {
  EXPECT_EQ(last, first + 1);
  auto* counts = reinterpret_cast<std::uint32_t*>(frame->arguments[0].bytes);
  auto* state = reinterpret_cast<std::uint32_t*>(frame->arguments[1].bytes);
  auto* control = reinterpret_cast<std::uint32_t*>(frame->arguments[2].bytes);
  auto* local = reinterpret_cast<std::uint32_t*>(scratch);
  std::uint32_t round = 0;
  if (state[0] == 1)
    round = state[kGroupPoints];
  else
    local[0] = 0;
  while (round < kRounds) {
    ++counts[first];
    ++local[0];
    ++round;
    if (__atomic_load_n(control, __ATOMIC_RELAXED) == 0) continue;
    state[kGroupPoints] = round;
    state[1] = 1;
    return;
  }
  EXPECT_EQ(local[0], kRounds);
}

class Store final : public GroupStore {
 public:
  [[nodiscard]] bool holds(std::uint64_t first, std::uint64_t last) override {
    const std::lock_guard lock(mutex_);
    return states_.lower_bound(first) != states_.lower_bound(last);
  }
  std::optional<GroupState> take(std::uint64_t group) override {
    const std::lock_guard lock(mutex_);
    ++taken_;
    const auto found = states_.find(group);
    if (found == states_.end()) return std::nullopt;
    GroupState state = std::move(found->second);
    states_.erase(found);
    return state;
  }
  void put(GroupState state) override {
    const std::lock_guard lock(mutex_);
    const std::uint64_t group = state.group;
    EXPECT_TRUE(states_.emplace(group, std::move(state)).second) << group << " is there already";
  }
  [[nodiscard]] bool has(std::uint64_t group) const { return states_.contains(group); }
  [[nodiscard]] std::size_t size() const { return states_.size(); }
  /// Calls of take().
  [[nodiscard]] std::size_t taken() const { return taken_; }

 private:
  std::size_t taken_ = 0;
  std::mutex mutex_;
  std::map<std::uint64_t, GroupState> states_;
};

// Due at a random one of the next looks.
class Chance final : public Yield {
 public:
  explicit Chance(std::uint32_t seed) : left_(static_cast<int>(seed % 7)) {}
  [[nodiscard]] bool due() const noexcept override { return left_.fetch_sub(1) <= 0; }
  void ran(std::uint64_t groups) const noexcept override { ended_ += groups; }
  [[nodiscard]] std::uint64_t ended() const { return ended_; }

 private:
  mutable std::atomic<int> left_;
  mutable std::atomic<std::uint64_t> ended_{0};
};

class Never final : public Yield {
 public:
  [[nodiscard]] bool due() const noexcept override { return false; }
};

class YieldingRun : public testing::TestWithParam<unsigned> {
 protected:
  YieldingRun() : counts_(kGroups) {
    code_.run = count_rounds;
    code_.yields = {77, kGroupPoints + 1, 0, 1, 1};
    arguments_ = {whole(counts_)};
    frame_ = line(kGroups, kItems);
  }
  domain::Result<YieldingRan> run(const Yield& yield, std::uint64_t first = 0) {
    return run_yielding(pool_, {code_, frame_, arguments_, 4096, kLocal}, first, kGroups, store_, yield);
  }
  void expect_all_counted() const {
    for (std::uint64_t i = 0; i < kGroups; ++i) ASSERT_EQ(counts_[i], kRounds) << i;
  }

  static constexpr std::uint64_t kGroups = 40;
  Pool pool_{GetParam()};
  Store store_;
  KernelCode code_;
  std::vector<std::uint32_t> counts_;
  std::vector<SpanArgument> arguments_;
  SpanFrame frame_;
};

TEST_P(YieldingRun, EndsAllGroupsWhereNothingIsDue) {
  const auto ran = run(Never());
  ASSERT_TRUE(ran.ok()) << ran.error().reason;
  EXPECT_EQ(ran->first_left, kGroups);
  EXPECT_EQ(store_.size(), 0u);
  EXPECT_EQ(store_.taken(), 0u) << "asked for groups of which it has none";
  expect_all_counted();
}

TEST_P(YieldingRun, RunsEachRoundOnceHoweverOftenItIsStopped) {
  std::mt19937 random(GetParam());
  std::uint64_t stops = 0, begun = 0, ended = 0;
  for (std::uint64_t left = 0; left < kGroups; ++stops) {
    ASSERT_LE(stops, kGroups * kRounds);  // each comes one round further
    const Chance chance(random());
    const auto ran = run(chance, left);
    ASSERT_TRUE(ran.ok()) << ran.error().reason;
    ended += chance.ended();
    left = ran->first_left;
    begun = std::max(begun, ran->begun);
    // What has begun behind the first that is left can be gone on with; nothing behind it has begun.
    for (std::uint64_t group = left; group < kGroups; ++group) {
      EXPECT_EQ(store_.has(group), group < begun) << group;
      EXPECT_TRUE(group < begun || counts_[group] == 0) << group;
    }
  }
  EXPECT_GT(stops, 1u);
  EXPECT_EQ(ended, kGroups) << "each was told of once";
  EXPECT_EQ(store_.size(), 0u);
  expect_all_counted();
}

TEST_P(YieldingRun, WhereItIsDueFromTheBeginningNoGroupRunsFurtherThanToItsFirstPoint) {
  const auto ran = run(Chance(0));
  ASSERT_TRUE(ran.ok()) << ran.error().reason;
  EXPECT_EQ(ran->first_left, 0u);
  EXPECT_GE(counts_[0], 1u);
  for (const std::uint32_t count : counts_) EXPECT_LE(count, 1u);
}

TEST_P(YieldingRun, NeedsMemoryForOneGroup) {
  const auto ran =
      run_yielding(pool_, {code_, frame_, arguments_, std::uint64_t{1} << 40, kLocal}, 0, kGroups, store_, Never());
  EXPECT_FALSE(ran.ok());
  EXPECT_EQ(counts_, std::vector<std::uint32_t>(kGroups));
}

TEST_P(YieldingRun, AStateOfAnotherSizeIsNotRun) {
  for (const std::size_t words : {std::size_t{1}, std::size_t{kGroupPoints}, std::size_t{kGroupPoints + 2}}) {
    store_.put({3, std::vector<std::uint32_t>(words), {}});
    EXPECT_FALSE(run(Never()));
    EXPECT_EQ(counts_[3], 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, YieldingRun, testing::Values(1, 2, 3));

TEST(GroupState, HasEndedOnceAllPointsSaySo) {
  const YieldFacts alone{1, 0, 2, 0, 1};
  GroupState state = begin_group(5, alone, 3);
  EXPECT_EQ(state.words, std::vector<std::uint32_t>(6));
  EXPECT_FALSE(has_ended(state, alone, 3));
  state.words = {kPointDone, 1, kPointDone, 0, 0, 0};
  EXPECT_FALSE(has_ended(state, alone, 3));
  state.words[1] = kPointDone;
  EXPECT_TRUE(has_ended(state, alone, 3));
  const YieldFacts together{1, 3, 1, 1, 1};
  state.words = {kPointDone, 0, 0, 0, 0, 0};
  EXPECT_TRUE(has_ended(state, together, 3));
  state.words[0] = 2;
  EXPECT_FALSE(has_ended(state, together, 3));
}

}  // namespace
}  // namespace skmd::cpu::test
