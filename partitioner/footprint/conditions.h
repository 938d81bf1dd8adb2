// SPDX-License-Identifier: Apache-2.0
// Guards of an access: whether they hold, and for which work-items and iterations at most.
#pragma once

#include <span>
#include <vector>

#include "partitioner/footprint/evaluator.h"

namespace skmd::domain {

/// What guards leave of the evaluator's work-items. An item outside `items` fails a guard. If the guards hold only
/// for some items of `items`, the difference is described by `bounds` (each form must be ≤ 0), completely unless
/// `loose`.
struct Narrowed {
  ItemSet items;
  bool smaller = false;
  bool loose = false;
  std::vector<Form> bounds;
};

/// never: no item passes all guards. always: all items do. maybe: see `narrowed`.
Evaluator::Truth apply_guards(Evaluator& evaluator, std::span<const Guard> guards, Narrowed& narrowed);

}  // namespace skmd::domain
