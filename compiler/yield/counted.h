// SPDX-License-Identifier: Apache-2.0
// Loops that count towards a bound.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

#include "compiler/yield/points.h"

namespace skmd::compiler {

/// What `loop` goes on by. `counter` is null where it is no such loop, or where the counter changes by more than
/// INT32_MAX in a strip of `strip` iterations.
CountedLoop counted_loop(const llvm::Loop& loop, std::uint64_t strip);

}  // namespace skmd::compiler
