// SPDX-License-Identifier: Apache-2.0
// The command of a launch: the fast path for launches that stay whole and have what they need, the conductor for the
// rest.
#pragma once

#include <memory>

#include "intercept/launch/decision.h"
#include "intercept/object/recovery.h"
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
  [[nodiscard]] bool times_are_worth_it(const Event& event, const Decision& decision) const;
  Result<Batch> prepare(const Decision& decision, InFlight& flight);
  Status run_locked(Event& event);
  /// What became of the batch that start_now() submitted.
  void landed(const std::shared_ptr<InFlight>& flight, BatchResult&& result);
  /// The launch ended well, but on something that a batch before it was to bring and did not.
  [[nodiscard]] bool misled(const InFlight& flight) const;
  /// On an executor thread: what has not been done by a batch that failed or was misled, after take_back().
  void again(InFlight& flight, const BatchResult& result, Spoilt& spoilt);
  /// Residency as if the launch had never been submitted. `ran`: it may have written something.
  void take_back(const InFlight& flight, bool ran, Spoilt& spoilt);
  [[nodiscard]] bool reads(const SliceWork& slice, const Spoilt& spoilt) const;
  cl_int ended(const Status& status, Event& event);

  Machine& machine_;
  Launch launch_;
  LaunchView view_;
  std::shared_ptr<const Decision> split_;  // that start() left to run(): one launch is decided once
};

}  // namespace skmd::icd
