// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/geometry.h"

#include <llvm/IR/Constants.h>

namespace skmd::compiler {

namespace {

using llvm::IRBuilder;
using llvm::Value;

// Dimensions that do not exist have the answers of the specification.
Value* pick(IRBuilder<>& ir, Value* dimension, const Geometry::Triple& of, std::uint64_t beyond) {
  Value* chosen = ir.getInt64(beyond);
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(dimension))
    return constant->getValue().ult(of.size()) ? of[constant->getZExtValue()] : chosen;
  for (unsigned d = 3; d-- > 0;) {
    Value* here = ir.CreateICmpEQ(dimension, llvm::ConstantInt::get(dimension->getType(), d));
    chosen = ir.CreateSelect(here, of[d], chosen);
  }
  return chosen;
}

}  // namespace

Value* Geometry::global_id(IRBuilder<>& ir, unsigned d) const {
  if (d == 0 && global_id_0 != nullptr) return global_id_0;
  if (first[d] != nullptr) return ir.CreateAdd(first[d], local_id[d], "", true, true);
  return ir.CreateAdd(offset[d], ir.CreateAdd(ir.CreateMul(group_id[d], local[d]), local_id[d]));
}

Value* Geometry::answer(IRBuilder<>& ir, llvm::StringRef name, Value* dimension) const {
  if (name == "get_work_dim") return work_dim;
  if (name == "get_global_linear_id") {
    const auto index = [&](unsigned d) { return ir.CreateSub(global_id(ir, d), offset[d]); };
    return ir.CreateAdd(ir.CreateMul(ir.CreateAdd(ir.CreateMul(index(2), size[1]), index(1)), size[0]), index(0));
  }
  if (name == "get_local_linear_id") {
    Value* rows = ir.CreateAdd(ir.CreateMul(local_id[2], local[1]), local_id[1]);
    return ir.CreateAdd(ir.CreateMul(rows, local[0]), local_id[0]);
  }
  if (name == "get_global_id") return pick(ir, dimension, {global_id(ir, 0), global_id(ir, 1), global_id(ir, 2)}, 0);
  if (name == "get_local_id") return pick(ir, dimension, local_id, 0);
  if (name == "get_group_id") return pick(ir, dimension, group_id, 0);
  if (name == "get_global_offset") return pick(ir, dimension, offset, 0);
  if (name == "get_global_size") return pick(ir, dimension, size, 1);
  if (name == "get_num_groups") return pick(ir, dimension, groups, 1);
  return pick(ir, dimension, local, 1);  // get_local_size, get_enqueued_local_size: groups are uniform
}

}  // namespace skmd::compiler
