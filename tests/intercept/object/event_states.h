// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "intercept/object/event_state.h"
#include "tests/intercept/transition_checks.h"

namespace skmd::icd {

namespace test {

inline const NamedTable<EventState, kEventStates, EventInput, kEventInputs> kEvents{
    kEventTransitions,
    {"unarmed", "waiting", "declined", "offered", "begun", "held", "ended"},
    {"arm", "offer", "decline", "settle", "begin", "end", "end_early", "release"}};

}  // namespace test

inline void PrintTo(EventState state, std::ostream* out) { *out << test::kEvents.name(state); }

}  // namespace skmd::icd
