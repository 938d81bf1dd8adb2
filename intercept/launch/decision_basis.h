// SPDX-License-Identifier: Apache-2.0
// Whether a decision still holds for the next launch of its shape. Pure.
#pragma once

#include <optional>

#include "intercept/launch/decide.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/eligibility.h"

namespace skmd::icd {

/// What a decision would rest on now; `known` is left for when there is one. `barred`: splits are barred.
DecisionBasis basis_of(const Eligibility& eligible, bool barred, DecisionInputs& inputs);

/// Whether a decision that rested on `then` would be the same now.
bool stands(const DecisionBasis& then, const DecisionBasis& now);

/// Seconds that it takes to look whether `last` still stands, `checking` of them for rates and residency: what the
/// launches have to afford. `behind`: PartitionRequest::behind now. None: it is looked at in any case.
std::optional<double> price_of_looking(const Decision& last, const DecisionBasis& basis, bool barred,
                                       std::optional<std::uint32_t> behind, double checking);

}  // namespace skmd::icd
