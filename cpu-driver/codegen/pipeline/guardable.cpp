// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/guardable.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/ir/address_spaces.h"
#include "compiler/ir/builtin.h"
#include "compiler/yield/points.h"
#include "cpu-driver/codegen/check/checks.h"

namespace skmd::codegen {

namespace {

using llvm::Function;
using llvm::Value;

domain::Error in_memory() { return {0, "pointer_in_memory: it keeps addresses in memory or makes numbers of them"}; }

bool is_own_variable(const Value* object) { return llvm::isa<llvm::AllocaInst>(object); }

// On a processor, what an address of another origin may belong to follows from all buffers, or is not checked.
bool has_origin(const Value& address) {
  llvm::SmallVector<const Value*, 4> objects;
  llvm::getUnderlyingObjects(&address, objects, nullptr, 0);
  const bool known = llvm::all_of(objects, [](const Value* object) {
    return llvm::isa<llvm::AllocaInst, llvm::Argument, llvm::GlobalVariable, llvm::ConstantPointerNull,
                     llvm::UndefValue>(object);
  });
  const bool any = llvm::any_of(objects, [](const Value* object) {
    return llvm::isa<llvm::AllocaInst, llvm::Argument, llvm::GlobalVariable>(object);
  });
  return known && any && address.getType()->getPointerAddressSpace() != kGenericSpace;
}

// Builtins that access memory by themselves, which checks do not see.
domain::Status call_is_checked(const llvm::CallBase& call) {
  const llvm::StringRef name = call.getCalledFunction()->getName();
  if (llvm::isa<llvm::IntrinsicInst>(call) || name == kCheckFailed) return {};
  for (const llvm::Use& use : call.args()) {
    if (!use->getType()->isPtrOrPtrVectorTy()) continue;
    llvm::SmallVector<const Value*, 4> objects;
    llvm::getUnderlyingObjects(use.get(), objects, nullptr, 0);
    if (!llvm::all_of(objects, is_own_variable)) return no_form("it calls " + compiler::builtin_of(call).name.str());
  }
  return {};
}

domain::Status is_checked(llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return call_is_checked(*call);
  const llvm::Type* moved = instruction.mayReadFromMemory() ? instruction.getType() : nullptr;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) moved = store->getValueOperand()->getType();
  // Sizes apart, which checks ask the frame for.
  const Value* address = llvm::getLoadStorePointerOperand(&instruction);
  const bool of_check = address != nullptr && instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load) &&
                        address->getType()->getPointerAddressSpace() == kConstantSpace;
  if (moved != nullptr && moved->isPtrOrPtrVectorTy() && !of_check) return in_memory();
  if (llvm::isa<llvm::IntToPtrInst>(instruction)) return in_memory();
  if (llvm::isa<llvm::PtrToIntInst>(instruction) && !llvm::all_of(instruction.users(), [](const llvm::User* user) {
        return llvm::cast<llvm::Instruction>(user)->getOpcode() == llvm::Instruction::Sub;
      }))
    return in_memory();
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
  if (variable != nullptr && !variable->isStaticAlloca())
    return no_form("it has a variable whose size is not constant");
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) address = instruction.getOperand(0);
  if (address != nullptr && !of_check && !has_origin(*address)) return no_form("it accesses memory that is not known");
  return {};
}

}  // namespace

domain::Error no_form(const std::string& why) { return {0, "no_form_here: " + why}; }

domain::Status may_be_guarded(Function& kernel) {
  for (const llvm::Argument& argument : kernel.args())
    if (argument.getType()->isTargetExtTy()) return no_form("it uses images");
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr) continue;
    const bool known = call->getCalledFunction() != nullptr && !call->isInlineAsm();
    const llvm::StringRef name = known ? compiler::builtin_of(*call).name : llvm::StringRef();
    if (name == "printf") return no_form("it prints");
    if (name.contains("_image")) return no_form("it uses images");
    // Made loops of accesses, and barriers.
    if (name.starts_with("async_work_group") || name == "wait_group_events") continue;
    if (const auto obstacle = compiler::obstacle_of(instruction))
      return domain::Error{0, obstacle->first + ": " + obstacle->second};
  }
  return {};
}

domain::Status is_guarded(Function& item) {
  for (llvm::Instruction& instruction : llvm::instructions(item))
    if (domain::Status status = is_checked(instruction); !status) return status;
  return {};
}

}  // namespace skmd::codegen
