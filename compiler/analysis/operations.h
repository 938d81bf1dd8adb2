// SPDX-License-Identifier: Apache-2.0
// The instructions that a work-item executes, by the loops and conditions around them. Used to estimate work only:
// correctness depends on KernelTraits::accesses alone.
#pragma once

#include "compiler/analysis/control.h"
#include "compiler/analysis/influence.h"

namespace skmd::compiler {

/// The weight of one instruction of a simplified kernel. tuning::kHeavyOperation: division, remainder, square root, the
/// other functions of the library, atomics, accesses to images. 1 for each element of a vector: arithmetic,
/// comparisons, conversions of floating point, loads, stores, conditional branches, barriers. 0, as these cost no time
/// of their own: phis, address arithmetic, integers made wider or narrower, elements put into and taken out of vectors.
std::uint32_t operations_of(const llvm::Instruction& instruction);

/// Fills in traits.operations, adds the loops that they are in, and sets kFactDataDecidesWork. To be called when all
/// accesses are known: nodes are few, and accesses need them more.
void count_operations(const KernelView& view, const ControlDependence& control, const Influences& influences,
                      Expressions& expressions, domain::KernelTraits& traits);

}  // namespace skmd::compiler
