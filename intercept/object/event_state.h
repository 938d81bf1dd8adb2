// SPDX-License-Identifier: Apache-2.0
// What an event waits for: its states, and what leads from one to the other. Pure; Event changes its state under its
// mutex. A diagram is in docs/failures.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "partitioner/base/transitions.h"

namespace skmd::icd {

/// Beside Event::status(), which the application sees and which says nothing of dependencies. The two meet in `ended`:
/// a state is ended exactly when the status is final. Dependencies that have not ended are counted beside the state.
enum class EventState : std::uint8_t {
  unarmed,   // registered with none: a user event, or a command whose thread waits for its dependencies itself
  waiting,   // for its dependencies; may be asked to start behind them, on their device
  declined,  // for its dependencies; the command declined to start behind them, and is not asked again
  offered,   // start() behind the device is being asked, or has taken the command over
  begun,     // the command, an executor thread or the caller has it; of its dependencies some may be open
  held,      // the command has ended, and dependencies of it have not: it may not be seen to end before them
  ended,     // final
};
inline constexpr std::size_t kEventStates = 7;  // enumerators above

enum class EventInput : std::uint8_t {
  arm,        // it registers with its dependencies
  offer,      // start() behind the device of its dependencies is about to be asked
  decline,    // start() behind the device declined: the command waits on
  settle,     // of a blocking call: start() behind the device is over, and the calling thread waits on
  begin,      // no dependency is open any more: the command starts or, if one of them failed, ends at once
  end,        // complete(), with no dependency open
  end_early,  // complete(), with dependencies open
  release,    // no dependency is open any more: what was held ends
};
inline constexpr std::size_t kEventInputs = 8;  // enumerators above

/// `end_early` ends a command that waits: it was withdrawn, or there is no memory to start it. Where it has started,
/// its dependencies' failure is its own, and it ends after them.
inline constexpr domain::Transitions<EventState, kEventStates, EventInput, kEventInputs> kEventTransitions{
    {EventState::unarmed, EventInput::arm, EventState::waiting},
    {EventState::unarmed, EventInput::offer, EventState::offered},
    {EventState::unarmed, EventInput::end, EventState::ended},
    {EventState::waiting, EventInput::offer, EventState::offered},
    {EventState::waiting, EventInput::begin, EventState::begun},
    {EventState::waiting, EventInput::end, EventState::ended},
    {EventState::waiting, EventInput::end_early, EventState::ended},
    {EventState::declined, EventInput::begin, EventState::begun},
    {EventState::declined, EventInput::end, EventState::ended},
    {EventState::declined, EventInput::end_early, EventState::ended},
    {EventState::offered, EventInput::decline, EventState::declined},
    {EventState::offered, EventInput::settle, EventState::begun},
    {EventState::offered, EventInput::end, EventState::ended},
    {EventState::offered, EventInput::end_early, EventState::held},
    {EventState::begun, EventInput::end, EventState::ended},
    {EventState::begun, EventInput::end_early, EventState::held},
    {EventState::held, EventInput::release, EventState::ended},
};

/// The command has not been started, and starts when its dependencies allow it.
constexpr bool waits(EventState state) { return state == EventState::waiting || state == EventState::declined; }

}  // namespace skmd::icd
