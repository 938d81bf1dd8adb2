// SPDX-License-Identifier: Apache-2.0
// What is learnt and told of launches that ended: the model, the rounds of an application, statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/storage.h"
#include "intercept/object/launch.h"
#include "intercept/observe/observer.h"

namespace skmd::icd {

/// Reports what a batch of one slice tells: transfers, the slice's times, and a sample for the model. `uploads`: how
/// many ops come before the slice's launches.
SliceReport account(Machine& machine, const Launch& launch, LaunchShape& shape, const SliceWork& slice,
                    std::size_t uploads, std::uint64_t upload_bytes, bool first, const BatchResult& result);

/// How a launch ended.
struct Ended {
  std::uint64_t ns = 0;  // when, nanoseconds of the host's clock; 0: not known
  double seconds =
      0.0;  // of a split launch from decision to results; of a whole one at least on its device; 0: not known
  std::uint64_t first_uses = 0;  // bit d: device d may have compiled
};

/// Tells the model, and the shape's rounds, what became of a launch that ended well. Thread-safe.
void learn_outcome(Machine& machine, const Launch& launch, LaunchShape& shape, const Decision& decision,
                   const Ended& ended);

/// The same of a launch that was stopped meanwhile: how long it took says nothing of the decision. `divided_anew`: the
/// model is told that it was made, since that decides how much may be explored. Thread-safe.
void learn_stopped(Machine& machine, const Launch& launch, LaunchShape& shape, const Decision& decision,
                   std::uint64_t first_uses, bool divided_anew);

/// Whether completed launches are reported, so that the time of their begin is needed: to the observer or the debug
/// log.
bool reports_launches(const Machine& machine);
/// Reports a completed launch, if reports_launches(). `begin`: nanoseconds of the host's clock. `preempted`: how it
/// gave way to others.
void report_launch(Machine& machine, const Launch& launch, const Decision& decision,
                   std::span<const SliceReport> slices, std::uint64_t begin, const PreemptReport& preempted);

/// Residency after a slice has written `ranges` of a root in its device's space (or will have, on an in-order queue).
/// With the root's mutex held.
void commit_written(Storage& root, domain::SpaceId space, const domain::RangeSet& ranges) SKMD_REQUIRES(root.mutex());

/// Whether batches are to ask for times: for the model, the observer or the profile database.
bool wants_times(const Machine& machine);

}  // namespace skmd::icd
