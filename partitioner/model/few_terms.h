// SPDX-License-Identifier: Apache-2.0
// A few terms that fit measured times and extrapolate beyond them: SKMD (TOCS 2015), section 3.3, with the terms chosen
// by their error on held-out points. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "partitioner/model/terms.h"

namespace skmd::domain {

struct FewTerms {
  std::vector<FittedTerm> terms;  // coefficients > 0
  /// Relative error that holds for 80 % of the points, for 80 % of the longest points when those are held out, and for
  /// half of the largest launch's points when that launch is held out.
  double error = 0.0;
};

/// Chooses among candidate_terms() by the error on the points themselves and on the longest, which are held out. Errors
/// are relative; longer points and those of larger launches weigh more, points that are off the others' curve less.
/// Of many points alike those in the middle stand for all, so that the time this takes is bounded. Deterministic.
/// Precondition: `points` is not empty; seconds > 0, groups > 0, all numbers finite and not negative.
FewTerms fit_few_terms(const std::vector<Point>& points, std::uint32_t units);

}  // namespace skmd::domain
