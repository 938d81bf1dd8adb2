// SPDX-License-Identifier: Apache-2.0
// Checked code for devices that have no frame of a launch (cpu::SpanFrame): what checks ask of it comes from elsewhere.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <functional>

#include "partitioner/base/result.h"

namespace skmd::codegen {

/// What stands in for the frame. Both add code at `ir`.
struct StandIn {
  std::function<llvm::Value*(llvm::IRBuilder<>& ir, unsigned argument)> size;  // i64, of the kernel's argument
  /// `told`: the arguments of kCheckFailed behind the frame.
  std::function<void(llvm::IRBuilder<>& ir, llvm::ArrayRef<llvm::Value*> told)> tell;
};

/// Replaces all uses of `frame` in checked code, as add_checks() and add_traps() make them. An error: something else
/// uses it.
domain::Status stand_in_for(llvm::Value& frame, const StandIn& stand_in);

}  // namespace skmd::codegen
