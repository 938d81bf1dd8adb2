// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/trap_words.h"

#include <llvm/IR/Metadata.h>

#include "compiler/client/trapping.h"
#include "compiler/yield/launch_geometry.h"

namespace skmd::compiler {

using llvm::IRBuilder;
using llvm::Value;

Value* trap_word(IRBuilder<>& ir, Value& control, std::uint32_t index) {
  Value* place = ir.CreateConstInBoundsGEP1_64(ir.getInt32Ty(), &control, index);
  auto* load = ir.CreateAlignedLoad(ir.getInt32Ty(), place, llvm::Align(4));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(ir.getContext(), {}));
  return load;
}

Value* wide_trap_word(IRBuilder<>& ir, Value& control, std::uint32_t index) {
  Value* low = ir.CreateZExt(trap_word(ir, control, index), ir.getInt64Ty());
  return ir.CreateOr(low, ir.CreateShl(ir.CreateZExt(trap_word(ir, control, index + 1), ir.getInt64Ty()), 32));
}

TrapGroup trap_group(IRBuilder<>& ir, Value& control,
                     llvm::function_ref<Value*(llvm::StringRef name, unsigned dimension)> native) {
  Value* slot = ir.CreateTrunc(native("_Z12get_group_idj", 0), ir.getInt32Ty());
  TrapGroup group;
  group.number = ir.CreateAdd(trap_word(ir, control, trap_control::kFirst), slot);
  group.geometry = geometry_of_group(
      ir, group.number, {trap_control::kWorkDim, trap_control::kGroupCounts, trap_control::kOffsets},
      [&](std::uint32_t index) { return trap_word(ir, control, index); }, native);
  return group;
}

}  // namespace skmd::compiler
