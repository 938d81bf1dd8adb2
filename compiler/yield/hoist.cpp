// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/hoist.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/ir/builtin.h"
#include "compiler/yield/yield_constants.h"

namespace skmd::compiler {

namespace {

bool divides_safely(const llvm::BinaryOperator& operation) {
  if (!operation.isIntDivRem()) return true;
  const auto* divisor = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
  return divisor != nullptr && !divisor->isZero() && !divisor->isMinusOne();
}

/// Whether what `pointer` points to is only read, as far as places at constant distances from it tell.
bool is_only_read(const llvm::Value& pointer) {
  return llvm::all_of(pointer.uses(), [](const llvm::Use& use) {
    const llvm::User* user = use.getUser();
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) return load->isSimple();
    if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user))
      return !copy->isVolatile() && &copy->getRawSourceUse() == &use && copy->getRawDest() != use.get();
    const auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
    return place != nullptr && place->hasAllConstantIndices() && is_only_read(*place);
  });
}

/// A load of what a structure holds that was passed to the kernel by value, such as the launch's record, and that it
/// does not change.
bool reads_argument(const llvm::LoadInst& load) {
  const llvm::DataLayout& layout = load.getDataLayout();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(load.getPointerOperandType()), 0);
  const auto* argument = llvm::dyn_cast<llvm::Argument>(
      load.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/false));
  if (!load.isSimple() || argument == nullptr || !argument->hasByValAttr() || offset.isNegative()) return false;
  const std::uint64_t size = layout.getTypeAllocSize(argument->getParamByValType());
  const std::uint64_t bytes = layout.getTypeStoreSize(load.getType()).getFixedValue();
  return bytes <= size && offset.ule(size - bytes) && is_only_read(*argument);
}

bool is_operation(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return reads_argument(*load);
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) return divides_safely(*operation);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    return is_geometry(builtin_of(*call).name) &&
           llvm::all_of(call->args(), [](const llvm::Use& use) { return llvm::isa<llvm::Constant>(*use); });
  return llvm::isa<llvm::CastInst, llvm::CmpInst, llvm::SelectInst, llvm::GetElementPtrInst, llvm::ExtractElementInst,
                   llvm::InsertElementInst>(instruction);
}

bool may_hoist(const llvm::Value& value, const llvm::BasicBlock& entry, unsigned& budget) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr || instruction->getParent() == &entry) return true;
  if (budget == 0 || !is_operation(*instruction)) return false;
  --budget;
  return llvm::all_of(instruction->operands(), [&](const llvm::Use& use) { return may_hoist(*use, entry, budget); });
}

void move(llvm::Instruction& instruction, llvm::Instruction& end) {
  if (instruction.getParent() == end.getParent()) return;
  for (llvm::Use& operand : instruction.operands())
    if (auto* other = llvm::dyn_cast<llvm::Instruction>(operand.get())) move(*other, end);
  instruction.moveBefore(end.getIterator());
  instruction.dropUBImplyingAttrsAndMetadata();  // which may have held where it stood alone
}

}  // namespace

bool hoist(llvm::Instruction& value, llvm::Instruction& end) {
  unsigned budget = tuning::kMaxRecomputed;
  if (!may_hoist(value, *end.getParent(), budget)) return false;
  move(value, end);
  return true;
}

}  // namespace skmd::compiler
