// SPDX-License-Identifier: Apache-2.0
// async_work_group_copy and async_work_group_strided_copy: every item copies its share of the elements.
#pragma once

#include <llvm/IR/Instructions.h>

#include "compiler/ir/builtin.h"
#include "compiler/ir/geometry.h"
#include "partitioner/base/result.h"

namespace skmd::codegen {

bool is_async_copy(llvm::StringRef name);

/// `call` of `builtin` becomes a loop; its event is nothing, since wait_group_events is a barrier.
domain::Status expand_async_copy(llvm::CallInst& call, const compiler::Builtin& builtin, const compiler::Geometry& at);

}  // namespace skmd::codegen
