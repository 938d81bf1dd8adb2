// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/masks/effects.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/raw_ostream.h>

#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/codegen/masks/division.h"
#include "cpu-driver/codegen/masks/markers.h"
#include "cpu-driver/codegen/source_position.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

domain::Error refuse(const Instruction& instruction, llvm::StringRef why) {
  std::string text;
  llvm::raw_string_ostream(text) << why << ":" << instruction;
  return {0, with_position(instruction.getDebugLoc(), text)};
}

bool is_hint(const Instruction& instruction) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (intrinsic == nullptr) return false;
  switch (intrinsic->getIntrinsicID()) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::invariant_start:
    case llvm::Intrinsic::invariant_end:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::donothing:
      return true;
    default:
      return llvm::isa<llvm::DbgInfoIntrinsic>(intrinsic);
  }
}

// A call whose inactive lanes do no harm.
bool computes_only(const llvm::CallBase& call) { return call.doesNotAccessMemory() && !call.doesNotReturn(); }

domain::Status check_call(const llvm::CallBase& call) {
  if (!llvm::isa<llvm::CallInst>(call) || call.isInlineAsm()) return refuse(call, "no call of this kind has lanes");
  if (call.getCalledFunction() == nullptr) return refuse(call, "a call through a pointer");
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  if (intrinsic == nullptr || is_hint(call)) return {};
  if (intrinsic->isConvergent()) return refuse(call, "lanes work together");
  if (!computes_only(call) && !llvm::isa<llvm::MemIntrinsic>(call)) return refuse(call, "not known to have lanes");
  return {};
}

domain::Status check_instruction(const Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return check_call(*call);
  if (instruction.isTerminator()) {
    if (llvm::isa<llvm::BranchInst, llvm::ReturnInst, llvm::UnreachableInst>(instruction)) return {};
    return refuse(instruction, "no branch of this kind has lanes");
  }
  if (instruction.isEHPad() || llvm::isa<llvm::VAArgInst>(instruction))
    return refuse(instruction, "not known to have lanes");
  if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction); alloca && !alloca->isStaticAlloca())
    return refuse(instruction, "a private variable of unknown size");
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    for (const llvm::User* user : exchange->users())
      if (!llvm::isa<llvm::ExtractValueInst>(user)) return refuse(instruction, "its result is used as a whole");
  if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction) &&
      llvm::getLoadStoreType(const_cast<Instruction*>(&instruction))->isAggregateType())
    return refuse(instruction, "an access of a structure");
  return {};
}

// An access that every lane can do at any time: a fixed place inside one of its own variables.
bool always_possible(const Value& pointer, llvm::Type& type, const llvm::DataLayout& layout) {
  llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer.getType()), 0);
  const auto* variable =
      llvm::dyn_cast<llvm::AllocaInst>(pointer.stripAndAccumulateConstantOffsets(layout, offset, true));
  if (variable == nullptr || offset.isNegative()) return false;
  const std::optional<llvm::TypeSize> size = variable->getAllocationSize(layout);
  const std::uint64_t width = layout.getTypeStoreSize(&type);
  return size && !size->isScalable() && offset.ule(size->getFixedValue()) &&
         width <= size->getFixedValue() - offset.getZExtValue();
}

// Says nothing any more that does not hold for lanes that are not there. A sum that was written as a disjoint `or`
// stays a sum, and a number that is not negative keeps its sign, so that lanes stay as far apart as they were.
void weaken(Instruction& instruction) {
  if (llvm::isa<llvm::FPMathOperator>(instruction)) return;  // no address follows from these
  if (auto* both = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction); both && both->isDisjoint()) {
    auto* sum = llvm::BinaryOperator::CreateAdd(both->getOperand(0), both->getOperand(1));
    sum->insertBefore(both->getIterator());
    sum->setDebugLoc(both->getDebugLoc());
    sum->takeName(both);
    both->replaceAllUsesWith(sum);
    both->eraseFromParent();
    return;
  }
  if (llvm::isa<llvm::ZExtInst>(instruction) && instruction.hasNonNeg()) {
    auto* same = llvm::CastInst::Create(Instruction::SExt, instruction.getOperand(0), instruction.getType());
    same->insertBefore(instruction.getIterator());
    same->setDebugLoc(instruction.getDebugLoc());
    same->takeName(&instruction);
    instruction.replaceAllUsesWith(same);
    instruction.eraseFromParent();
    return;
  }
  instruction.dropPoisonGeneratingAnnotations();
}

void mask_one(Instruction& instruction, Value& mask, bool whole, const Divergence& divergence) {
  const llvm::DataLayout& layout = instruction.getDataLayout();
  if (instruction.isAtomic() ? !llvm::isa<llvm::FenceInst>(instruction) : instruction.isVolatile())
    return run_each(instruction, mask);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    if (!always_possible(*load->getPointerOperand(), *load->getType(), layout)) mark_load(*load, mask);
    return;
  }
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    if (!whole || !always_possible(*store->getPointerOperand(), *store->getValueOperand()->getType(), layout))
      mark_store(*store, mask);
    return;
  }
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    if (!computes_only(*call)) return run_each(*call, mask);
    call->dropUBImplyingAttrsAndMetadata();
    if (!llvm::isa<llvm::IntrinsicInst>(call)) add_mask(*call, mask);
    return;
  }
  if (instruction.isIntDivRem()) make_safe(llvm::cast<llvm::BinaryOperator>(instruction));
  if (!whole && divergence.varying(&instruction)) weaken(instruction);
}

}  // namespace

domain::Status check_effects(const llvm::Function& function) {
  for (const Instruction& instruction : llvm::instructions(function))
    if (domain::Status status = check_instruction(instruction); !status) return status;
  return {};
}

void drop_hints(llvm::Function& function) {
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    instruction.dropDbgRecords();
    if (is_hint(instruction)) {
      instruction.replaceAllUsesWith(llvm::PoisonValue::get(instruction.getType()));
      instruction.eraseFromParent();
    }
  }
}

void mask_effects(llvm::ArrayRef<Instruction*> instructions, Value& mask, bool whole, const Divergence& divergence) {
  for (Instruction* instruction : instructions) mask_one(*instruction, mask, whole, divergence);
}

}  // namespace skmd::codegen
