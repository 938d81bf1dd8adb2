// SPDX-License-Identifier: Apache-2.0
// drop_idlers() where devices share links.
#pragma once

#include <span>

#include "partitioner/plan/completion_curves.h"

namespace skmd::domain {

/// As drop_idlers(). First leaves out, on each link, those devices whose own bytes keep the link's others waiting for
/// longer than they help; then, as a whole, links and devices with their own links that shorten the launch too little,
/// as many of those with the fewest groups as doubling and halving their number finds. O(log n) times fill().
double drop_idle_links(std::span<CompletionCurve> lines, double groups);

}  // namespace skmd::domain
