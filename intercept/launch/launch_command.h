// SPDX-License-Identifier: Apache-2.0
// The command of a launch: the fast path for launches that stay whole and have what they need, the conductor for the
// rest.
#pragma once

#include <memory>

#include "intercept/launch/decision.h"
#include "intercept/object/command.h"

namespace skmd::icd {

class LaunchCommand : public Command {
 public:
  LaunchCommand(Machine& machine, Launch launch);

  [[nodiscard]] const LaunchView& view() const { return view_; }

  /// Takes over launches that stay whole on one device, need nothing gathered, and whose ranges are free (or held by
  /// commands that come earlier on that device's in-order queue).
  bool start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>& self) override;
  [[nodiscard]] std::vector<Claim> claims() const override { return view_.claims(); }
  cl_int run(Event& event) override;

 private:
  struct InFlight;
  [[nodiscard]] bool may_start() const;
  /// Everything that `slice` needs is valid where it will run.
  [[nodiscard]] bool resident(const SliceWork& slice) const;
  /// Puts what is missing before the launch; an error if that would have to wait for anything.
  Status add_uploads(const SliceWork& slice, InFlight& flight, std::vector<Op>& ops);
  Result<Batch> prepare(const Decision& decision, InFlight& flight);
  Status run_locked(Event& event);
  /// After `failure` of `decision` for want of room on one device: whole, on each of the others until one succeeds.
  Status run_elsewhere(const Decision& decision, Status failure, Event& event);

  Machine& machine_;
  Launch launch_;
  LaunchView view_;
};

}  // namespace skmd::icd
