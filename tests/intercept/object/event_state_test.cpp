// SPDX-License-Identifier: Apache-2.0
// The table of an event's states, walked completely.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/intercept/object/event_states.h"

namespace skmd::icd::test {
namespace {

using S = EventState;
using I = EventInput;

constexpr std::optional<S> no = std::nullopt;

TEST(EventStates, LeadWhereTheTableSaysAndRefuseTheRest) {
  const std::optional<S> expected[kEventStates][kEventInputs] = {
      //         arm      offer       decline      settle    begin     end       end_early  release
      /* unarmed  */ {S::waiting, S::offered, no, no, no, S::ended, no, no},
      /* waiting  */ {no, S::offered, no, no, S::begun, S::ended, S::ended, no},
      /* declined */ {no, no, no, no, S::begun, S::ended, S::ended, no},
      /* offered  */ {no, no, S::declined, S::begun, no, S::ended, S::held, no},
      /* begun    */ {no, no, no, no, no, S::ended, S::held, no},
      /* held     */ {no, no, no, no, no, no, no, S::ended},
      /* ended    */ {no, no, no, no, no, no, no, no},
  };
  expect_rows(kEvents, expected);
}

TEST(EventStates, AreAllReachedAndAllEnd) { expect_all_lead_from_to(kEvents, S::unarmed, S::ended); }

TEST(EventStates, NeverComeBack) {
  kEvents.for_each_pair([&](S from, I input) {
    if (const auto to = kEventTransitions.next(from, input)) {
      EXPECT_EQ(kEvents.reachable(*to).count(from), 0u) << kEvents.name(from) << " with " << kEvents.name(input);
    }
  });
}

// Waiters wake, dependants start and callbacks are posted where the state becomes `ended`, and nowhere else.
TEST(EventStates, AreEndedOnceOnEveryWayByACommandThatEndedOnce) {
  std::size_t ways = 0;
  kEvents.for_each_way(S::unarmed, [&](const std::vector<I>& way, S last) {
    ++ways;
    EXPECT_EQ(last, S::ended);
    const auto times = [&](I input) { return std::count(way.begin(), way.end(), input); };
    EXPECT_EQ(times(I::end) + times(I::end_early), 1) << "complete() is accepted once";
    EXPECT_LE(times(I::offer), 1) << "start() behind a device is asked once";
    EXPECT_LE(times(I::begin), 1);
    EXPECT_LE(times(I::offer) + times(I::begin), times(I::decline) + 1)
        << "a command that started starts no second time";
    if (times(I::release) != 0) {
      EXPECT_EQ(way.back(), I::release);
      EXPECT_EQ(way[way.size() - 2], I::end_early);
    }
  });
  EXPECT_GT(ways, 10u);
}

TEST(EventStates, TakeTheEndOfACommandWheneverItComes) {
  for (std::size_t s = 0; s < kEventStates; ++s) {
    const S state = static_cast<S>(s);
    const bool over = state == S::held || state == S::ended;
    EXPECT_EQ(kEventTransitions.next(state, I::end), over ? no : S::ended) << kEvents.name(state);
    // An unarmed event has no dependencies that could be open.
    EXPECT_EQ(kEventTransitions.next(state, I::end_early).has_value(), !over && state != S::unarmed)
        << kEvents.name(state);
    EXPECT_EQ(waits(state), kEventTransitions.next(state, I::begin).has_value()) << kEvents.name(state);
  }
}

TEST(EventStates, AreDrawnInThePageOnFailures) { EXPECT_EQ(drawn_rows(SKMD_FAILURES_PAGE, "Event"), kEvents.rows()); }

}  // namespace
}  // namespace skmd::icd::test
