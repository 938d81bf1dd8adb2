// SPDX-License-Identifier: Apache-2.0
// Where an in-flight batch is, and what shows its end: its states, and what leads from one to the other. Pure;
// SubmissionQueue changes the state under its mutex. A diagram is in docs/failures.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "partitioner/base/transitions.h"

namespace skmd::icd {

enum class FlightState : std::uint8_t {
  made,        // not with the driver; a blocking driver's stays so until it is completed
  unmarked,    // with the driver, without any event: mark() comes before waiting for it or asking for its end
  shown,       // the events of its ops show its end; where it has none, nothing of it is under way
  marked,      // an event that belongs to no op of it shows its end
  with_queue,  // no event does: its end is waited for by clFinish()
  completing,  // a thread completes it, and no thread starts to watch it
  settled,     // its `done` has run
};
inline constexpr std::size_t kFlightStates = 7;  // enumerators above

enum class FlightInput : std::uint8_t {
  enqueue,          // its ops are about to be enqueued, with events
  enqueue_quietly,  // … without any event
  refuse,           // the device is set aside: nothing is enqueued
  mark,             // an event behind it was found or made
  leave_to_queue,   // this thread waits for it by clFinish(), at once
  finish,           // there is no event to be had: the queue was finished
  complete,         // it has ended or, with a blocking driver, is about to be enqueued and waited for
  settle,           // `done` has run
};
inline constexpr std::size_t kFlightInputs = 8;  // enumerators above

/// A batch that is `unmarked` may be completed without having been marked, where a later one's success shows its end.
inline constexpr domain::Transitions<FlightState, kFlightStates, FlightInput, kFlightInputs> kFlightTransitions{
    {FlightState::made, FlightInput::enqueue, FlightState::shown},
    {FlightState::made, FlightInput::enqueue_quietly, FlightState::unmarked},
    {FlightState::made, FlightInput::refuse, FlightState::shown},
    {FlightState::made, FlightInput::complete, FlightState::completing},
    {FlightState::unmarked, FlightInput::mark, FlightState::marked},
    {FlightState::unmarked, FlightInput::leave_to_queue, FlightState::with_queue},
    {FlightState::unmarked, FlightInput::finish, FlightState::shown},
    {FlightState::unmarked, FlightInput::complete, FlightState::completing},
    {FlightState::shown, FlightInput::complete, FlightState::completing},
    {FlightState::marked, FlightInput::complete, FlightState::completing},
    {FlightState::with_queue, FlightInput::complete, FlightState::completing},
    {FlightState::completing, FlightInput::settle, FlightState::settled},
};

}  // namespace skmd::icd
