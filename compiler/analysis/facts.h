// SPDX-License-Identifier: Apache-2.0
// What can be read off a kernel's code at large, rather than off one access.
#pragma once

#include "compiler/analysis/control.h"
#include "compiler/analysis/influence.h"
#include "compiler/analysis/pointers.h"

namespace skmd::compiler {

/// Of an inlined kernel as it was written, before anything is simplified away: queries, local memory, and the facts
/// that hold for code whether or not it runs.
void note_code(llvm::Function& kernel, domain::KernelTraits& traits);

/// Loops that go on until memory says otherwise. Needs the kernel's accesses in `traits`.
void note_spinning(const KernelView& view, Pointers& pointers, domain::KernelTraits& traits);

}  // namespace skmd::compiler
