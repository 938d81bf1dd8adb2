// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "intercept/backend/vendor/flight_state.h"
#include "tests/intercept/transition_checks.h"

namespace skmd::icd {

namespace test {

inline const NamedTable<FlightState, kFlightStates, FlightInput, kFlightInputs> kFlights{
    kFlightTransitions,
    {"made", "unmarked", "shown", "marked", "with_queue", "completing", "settled"},
    {"enqueue", "enqueue_quietly", "refuse", "mark", "leave_to_queue", "finish", "complete", "settle"}};

}  // namespace test

inline void PrintTo(FlightState state, std::ostream* out) { *out << test::kFlights.name(state); }

}  // namespace skmd::icd
