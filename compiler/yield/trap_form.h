// SPDX-License-Identifier: Apache-2.0
// Checked kernels for drivers whose launches we do not run group by group: items that would trap leave a record each
// (compiler/client/trapping.h).
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

#include "compiler/yield/strips.h"
#include "compiler/yield/yield.h"
#include "partitioner/base/result.h"

namespace skmd::compiler {

/// Code that takes the next record, of `words` words of state, for an item of `kernel`, which has state and control as
/// its last parameters. Returns where its state begins.
llvm::Value* take_record(llvm::IRBuilder<>& ir, llvm::Function& kernel, const ItemIds& ids, unsigned words);

/// Changes `kernel`, which make_yielding() returned for Yields::traps and Entries::none, so that it keeps to
/// trapping.h. An error is why it cannot be: `kernel` is to be dropped then.
domain::Status make_trap_form(llvm::Function& kernel);

}  // namespace skmd::compiler
