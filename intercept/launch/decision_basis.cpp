// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/decision_basis.h"

#include <cmath>

#include "intercept/launch/decision_constants.h"

namespace skmd::icd {

using namespace tuning;

namespace {

bool changed(double then, double now, double noise) { return std::abs(now - then) > noise * then; }

bool changed(const FarLink& then, const FarLink& now) {
  return changed(then.round_trip, now.round_trip, kLinkNoise) || changed(then.to, now.to, kLinkNoise) ||
         changed(then.from, now.from, kLinkNoise);
}

}  // namespace

DecisionBasis basis_of(const Eligibility& eligible, bool barred, DecisionInputs& inputs) {
  DecisionBasis basis;
  basis.barred = barred;
  basis.read_rhythm = inputs.read_rhythm();
  basis.behind = inputs.behind();
  if (basis.behind) basis.behind_before = std::uint64_t{1} << *basis.behind;
  for (std::uint32_t i = 0; i < eligible.eligible.size(); ++i) {
    if (!eligible.eligible[i]) continue;
    basis.groups_per_second[i] = inputs.groups_per_second(i);
    basis.missing_bytes[i] = inputs.missing_bytes(i);
    basis.far_links[i] = inputs.far_link(i);
  }
  return basis;
}

bool stands(const DecisionBasis& then, const DecisionBasis& now) {
  if (!then.known || then.barred != now.barred || then.read_rhythm != now.read_rhythm || then.behind != now.behind ||
      then.missing_bytes != now.missing_bytes)
    return false;
  for (std::size_t i = 0; i < now.groups_per_second.size(); ++i)
    if (changed(then.groups_per_second[i], now.groups_per_second[i], kRateNoise) ||
        changed(then.far_links[i], now.far_links[i]))
      return false;
  return true;
}

std::optional<double> price_of_looking(const Decision& last, const DecisionBasis& basis, bool barred,
                                       std::optional<std::uint32_t> behind, double checking) {
  if (!(last.predicted_seconds > 0) || last.exploring || basis.barred != barred) return std::nullopt;
  // It would wait for another device, as was not known when it was decided.
  const bool is_new = behind && (basis.behind_before >> *behind & 1) == 0;
  if (is_new && last.whole && last.slices.front().device != *behind) return std::nullopt;
  return checking + (basis.known ? 0.0 : kAsking);
}

}  // namespace skmd::icd
