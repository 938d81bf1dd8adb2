// SPDX-License-Identifier: Apache-2.0
// What a queue knows of the things enqueued on it.
#pragma once

#include "intercept/object/event.h"

namespace skmd::icd {

/// A frozen command: arguments copied, objects retained, immutable. Destroyed after its event has ended.
class Command {
 public:
  virtual ~Command() = default;

  /// All dependencies have ended well, or (behind != null) all that have not are submitted on the in-order queue of
  /// `behind`. Called on the thread that made the command ready: must not block. True: the command took `event` over and will complete
  /// it itself (from a batch's done), keeping `self` alive until then; false: nothing was done.
  virtual bool start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>& self) {
    (void)behind; (void)event; (void)self;
    return false;
  }

  /// On an executor thread when start() declined and every dependency has ended well. May block on devices and ranges. The
  /// returned status completes the event. Implementations call event.work_started / work_ended around real work.
  virtual cl_int run(Event& event) = 0;
};

}  // namespace skmd::icd
