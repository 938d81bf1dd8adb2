// SPDX-License-Identifier: Apache-2.0
// What a queue knows of the commands that are enqueued on it.
#pragma once

#include <CL/cl_ext.h>

#include <vector>

#include "intercept/memory/range_lock.h"
#include "intercept/memory/storage.h"
#include "intercept/object/event.h"

namespace skmd::icd {

/// What an application is told of a failure: vendors' codes for their own objects mean nothing to it.
inline cl_int command_status(cl_int code) {
  const bool known = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
                     code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ||
                     code == CL_COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM;
  return known ? code : CL_OUT_OF_RESOURCES;
}

/// A frozen command: arguments copied, objects retained, immutable. Destroyed after its event has ended.
class Command {
 public:
  virtual ~Command() = default;

  /// All dependencies have ended well, or (behind != null) all that have not are submitted on the in-order queue of
  /// `behind`. Called on the thread that made the command ready: must not block. True: the command took `event` over
  /// and will complete it itself (from a batch's done), keeping `self` alive until then; false: nothing was done.
  virtual bool start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>& self) {
    (void)behind;
    (void)event;
    (void)self;
    return false;
  }

  /// The byte ranges that run() touches: no thread is asked to run the command before they are free, and they are held
  /// until run() returns.
  [[nodiscard]] virtual std::vector<Claim> claims() const { return {}; }

  /// run() calls functions of the application's: then no thread runs it from inside Event::wait(), since the
  /// application may hold locks there that its functions need.
  [[nodiscard]] virtual bool runs_foreign_code() const { return false; }

  /// What run() returns if it is to be called again, with the ranges that claims() returns then: it has done nothing,
  /// or a part whose results are committed, between which and the rest any command may come that does not wait for
  /// this.
  static constexpr cl_int kRunAgain = 1;

  /// When start() declined and every dependency has ended well: on an executor thread, or on the application's that
  /// waits. May block on devices. The returned status completes the event, but for kRunAgain. Implementations call
  /// event.work_started / work_ended around real work.
  virtual cl_int run(Event& event) = 0;
};

}  // namespace skmd::icd
