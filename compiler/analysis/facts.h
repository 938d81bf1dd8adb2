// SPDX-License-Identifier: Apache-2.0
// Facts about a kernel's code as a whole, rather than about one access.
#pragma once

#include "compiler/analysis/control.h"
#include "compiler/analysis/influence.h"
#include "compiler/analysis/pointers.h"

namespace skmd::compiler {

/// Of an inlined kernel as it was written, before anything is simplified away: queries, local memory, and the facts
/// that hold for code whether or not it runs.
void note_code(llvm::Function& kernel, domain::KernelTraits& traits);

/// Finds loops that wait for a value in memory. Precondition: the kernel's accesses are in `traits`.
void note_spinning(const KernelView& view, Pointers& pointers, domain::KernelTraits& traits);

}  // namespace skmd::compiler
