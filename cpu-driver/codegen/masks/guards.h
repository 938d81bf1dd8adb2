// SPDX-License-Identifier: Apache-2.0
// Chooses the nodes before which it pays to test whether any lane runs them.
#pragma once

#include <vector>

#include "cpu-driver/codegen/masks/levels.h"

namespace skmd::codegen {

/// Per node of `level`: whether it, and all up to the first node that is deferred meanwhile, is skipped if no lane
/// runs it. So it is always for loops: they could not end.
/// `inherited`: nodes that have the same lanes as an earlier one. `few_questions`: mostly some lane does run it, but in
/// which runs cannot be predicted (kFewQuestions).
std::vector<bool> choose_guards(const Level& level, const std::vector<bool>& inherited, bool few_questions);

}  // namespace skmd::codegen
