// SPDX-License-Identifier: Apache-2.0
// SKMD_VERIFY: every slice of a split launch is compared with a whole run of the same launch on the same device, on
// private copies of what the launch writes. Nothing of it is visible to the application but time.
#pragma once

#include <memory>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/private_copies.h"
#include "intercept/launch/scratch.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

class Verification {
 public:
  /// Keeps the pre-image. Ranges are locked by the caller, nothing of the launch has started.
  static Result<std::unique_ptr<Verification>> begin(Machine& machine, const Launch& launch, const LaunchView& view,
                                                     const Decision& decision);
  /// After the launch has been committed. Differences are reported to the observer; an error only if the check could
  /// not be made.
  Status finish();

 private:
  Verification(Machine& machine, const Launch& launch, const LaunchView& view, const Decision& decision);
  Result<PrivateCopies> run_whole(const SliceWork& slice);
  Status compare(const SliceWork& slice, const PrivateCopies& whole);
  [[nodiscard]] std::uint32_t argument_of(std::size_t root) const;

  Machine& machine_;
  const Launch& launch_;
  const LaunchView& view_;
  const Decision& decision_;
  const std::uint64_t number_;   // the same in all reports of this launch
  std::vector<Scratch> before_;  // per root: everything the launch reads or may write, as it was
};

}  // namespace skmd::icd
