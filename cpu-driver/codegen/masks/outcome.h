// SPDX-License-Identifier: Apache-2.0
// What an item function returns: the same for all items that run, although lanes may come to it by different ways.
#pragma once

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

#include <vector>

#include "cpu-driver/codegen/masks/divergence.h"
#include "partitioner/base/result.h"

namespace skmd::codegen {

/// The values that lanes may return; empty if nothing is to be done. An error if they are not constants.
domain::Result<std::vector<llvm::ConstantInt*>> outcomes(llvm::Function& function, const Divergence& divergence);

/// Returns that of `values` which a lane of `live` returns.
void agree(llvm::ReturnInst& leave, llvm::ArrayRef<llvm::ConstantInt*> values, llvm::Value& live);

}  // namespace skmd::codegen
