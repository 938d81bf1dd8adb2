// SPDX-License-Identifier: Apache-2.0
// The table of an in-flight batch's states, walked completely.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/intercept/backend/flight_states.h"

namespace skmd::icd::test {
namespace {

using S = FlightState;
using I = FlightInput;

constexpr std::optional<S> no = std::nullopt;

TEST(FlightStates, LeadWhereTheTableSaysAndRefuseTheRest) {
  const std::optional<S> expected[kFlightStates][kFlightInputs] = {
      //  enqueue, enqueue_quietly, refuse, mark, leave_to_queue, finish, complete, settle
      /* made       */ {S::shown, S::unmarked, S::shown, no, no, no, S::completing, no},
      /* unmarked   */ {no, no, no, S::marked, S::with_queue, S::shown, S::completing, no},
      /* shown      */ {no, no, no, no, no, no, S::completing, no},
      /* marked     */ {no, no, no, no, no, no, S::completing, no},
      /* with_queue */ {no, no, no, no, no, no, S::completing, no},
      /* completing */ {no, no, no, no, no, no, no, S::settled},
      /* settled    */ {no, no, no, no, no, no, no, no},
  };
  expect_rows(kFlights, expected);
}

TEST(FlightStates, AreAllReachedAndAllSettle) { expect_all_lead_from_to(kFlights, S::made, S::settled); }

// `done` runs between `complete` and `settle`.
TEST(FlightStates, AreCompletedAndSettledOnceOnEveryWay) {
  std::size_t ways = 0;
  kFlights.for_each_way(S::made, [&](const std::vector<I>& way, S last) {
    ++ways;
    EXPECT_EQ(last, S::settled);
    const auto times = [&](I input) { return std::count(way.begin(), way.end(), input); };
    EXPECT_EQ(times(I::complete), 1);
    EXPECT_EQ(times(I::settle), 1);
    EXPECT_EQ(way.back(), I::settle);
    EXPECT_EQ(way[way.size() - 2], I::complete);
    EXPECT_LE(times(I::enqueue) + times(I::enqueue_quietly) + times(I::refuse), 1);
    EXPECT_LE(times(I::mark) + times(I::leave_to_queue) + times(I::finish), times(I::enqueue_quietly))
        << "only a batch without events is marked, and once";
  });
  EXPECT_EQ(ways, 7u);
}

TEST(FlightStates, AreTakenToBeCompletedByOneThread) {
  for (std::size_t s = 0; s < kFlightStates; ++s) {
    const S state = static_cast<S>(s);
    EXPECT_EQ(kFlightTransitions.next(state, I::complete).has_value(), state != S::completing && state != S::settled)
        << kFlights.name(state);
  }
}

TEST(FlightStates, AreDrawnInThePageOnFailures) {
  EXPECT_EQ(drawn_rows(SKMD_FAILURES_PAGE, "Batch with a vendor's driver"), kFlights.rows());
}

}  // namespace
}  // namespace skmd::icd::test
