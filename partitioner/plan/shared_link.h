// SPDX-License-Identifier: Apache-2.0
// The devices behind one link (DeviceModel::shared_link) as one device: what they are sent and send adds up, and they
// run side by side. 64 hosts of 8 devices each are then 64 devices to balance. Pure; times are in seconds, sizes in
// groups.
#pragma once

#include <span>
#include <vector>

#include "partitioner/plan/completion_curves.h"

namespace skmd::domain {

/// Curves of one link. Curves are not changed but where that is said.
using Sharers = std::span<CompletionCurve* const>;

/// Groups that have run `seconds` after the launch's beginning, and how many more do in a second, up to the next knot.
struct Knot {
  double seconds = 0, groups = 0, per_second = 0;
};

/// Appends the knots of the devices together, which run when the bytes of all have arrived; ascending, at least one.
/// Precondition: `lines` is not empty.
void add_knots(Sharers lines, std::vector<Knot>& knots);

/// Seconds until `groups` have run. Precondition: `knots` is not empty.
double seconds_until(std::span<const Knot> knots, double groups);

/// Precondition: `knots` is not empty.
double groups_run(std::span<const Knot> knots, double seconds);

/// Seconds of the link's transfers before and after the launch: `fixed` if its devices take part, and for each group
/// of any of them.
struct LinkTransfers {
  double fixed = 0, each = 0, copying_each = 0;
};
LinkTransfers transfers_of(Sharers lines);

/// Sets the shares of the curves so that their devices end together, and have run `groups`.
void deal(Sharers lines, double groups);

/// Bytes that each device needs, however small its slice, take the link's time from its others. Takes those out of
/// `lines` without which the link's devices run more groups if running takes `run` and transfers around it `moving`;
/// all if they run none. True: it took some.
bool leave_out_sharers(std::vector<CompletionCurve*>& lines, double run, double moving);

}  // namespace skmd::domain
