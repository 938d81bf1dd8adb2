// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/facts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/ir/address_spaces.h"
#include "compiler/ir/builtin.h"

namespace skmd::compiler {

namespace {

unsigned query_of(llvm::StringRef name) {
  return llvm::StringSwitch<unsigned>(name)
      .Case("get_group_id", domain::kQueryGroupId)
      .Case("get_num_groups", domain::kQueryGroupCount)
      .Case("get_global_size", domain::kQueryGlobalSize)
      .Case("get_global_offset", domain::kQueryGlobalOffset)
      .Case("get_global_linear_id", domain::kQueryGlobalLinearId)
      .Case("get_enqueued_local_size", domain::kQueryEnqueuedLocalSize)
      .Case("get_global_id", domain::kQueryGlobalId)
      .Case("get_local_id", domain::kQueryLocalId)
      .Case("get_local_size", domain::kQueryLocalSize)
      .Case("get_work_dim", domain::kQueryWorkDim)
      .Case("get_local_linear_id", domain::kQueryLocalLinearId)
      .Default(0);
}

constexpr std::uint64_t kGlobalFence = 2;  // CLK_GLOBAL_MEM_FENCE

// A setting that is not constant may be any.
bool may_be(const llvm::CallBase& call, unsigned argument, llvm::function_ref<bool(std::uint64_t)> test) {
  if (argument >= call.arg_size()) return false;
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(argument));
  return constant == nullptr || test(constant->getZExtValue());
}

// work_group_barrier(flags, scope) and atomic_work_item_fence(flags, order, scope) beyond the work-group.
bool synchronises_device(const llvm::CallBase& call, llvm::StringRef name) {
  const bool fence = name == "atomic_work_item_fence";
  if (!fence && name != "work_group_barrier") return false;
  const auto global = [](std::uint64_t flags) { return (flags & kGlobalFence) != 0; };
  const auto wide = [](std::uint64_t scope) { return scope == 2 || scope == 3; };
  return may_be(call, 0, global) && may_be(call, fence ? 2 : 1, wide);
}

void note_call(const llvm::CallBase& call, domain::KernelTraits& traits) {
  const Builtin builtin = builtin_of(call);
  if (call.isInlineAsm() || call.getCalledFunction() == nullptr) traits.facts |= domain::kFactDeviceSpecificCode;
  if (call.getCalledFunction() == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) return;
  if (builtin.name == "printf") traits.facts |= domain::kFactPrintf;
  const bool own = builtin.name.starts_with("skmd.");
  if (!builtin.mangled && !is_silent(builtin.name) && !own) traits.facts |= domain::kFactDeviceSpecificCode;
  traits.queries |= query_of(builtin.name);
  if (is_barrier(builtin.name)) traits.facts |= domain::kFactBarrier;
  if (synchronises_device(call, builtin.name)) traits.facts |= domain::kFactDeviceScopeSync;
  if (is_sub_group(builtin.name)) {
    traits.facts |= domain::kFactDeviceSpecificCode;
    traits.queries |= domain::kQuerySubGroup;
  }
}

// printf's arguments are promoted to double even if the program uses no double.
bool is_promotion(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::FPExtInst>(instruction) && llvm::all_of(instruction.users(), [](const llvm::User* user) {
           const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
           return call != nullptr && builtin_of(*call).name == "printf";
         });
}

void note_types(const llvm::Instruction& instruction, domain::KernelTraits& traits) {
  const bool promotion = is_promotion(instruction);
  const auto note = [&](llvm::Type* type) {
    if (!type->isFPOrFPVectorTy()) return;
    traits.facts |= domain::kFactUsesFloat;
    if (type->getScalarType()->isDoubleTy()) traits.facts |= domain::kFactDoubles;
  };
  if (!promotion) note(instruction.getType());
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call != nullptr && builtin_of(*call).name == "printf") return;
  for (const llvm::Value* operand : instruction.operands()) note(operand->getType());
}

void collect_variables(const llvm::Value* value, llvm::SmallPtrSetImpl<const llvm::GlobalVariable*>& variables) {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
    if (!variables.insert(variable).second || !variable->hasInitializer()) return;
    collect_variables(variable->getInitializer(), variables);
  } else if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value)) {
    for (const llvm::Value* operand : constant->operands()) collect_variables(operand, variables);
  }
}

void note_variables(llvm::Function& kernel, domain::KernelTraits& traits) {
  llvm::SmallPtrSet<const llvm::GlobalVariable*, 8> variables;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    for (const llvm::Value* operand : instruction.operands()) collect_variables(operand, variables);
  }
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  for (const llvm::GlobalVariable* variable : variables) {
    if (variable->getAddressSpace() == kLocalSpace) {
      const std::uint64_t align = variable->getAlign().valueOrOne().value();
      const std::uint64_t size = layout.getTypeAllocSize(variable->getValueType());
      traits.local_bytes = (traits.local_bytes + align - 1) / align * align + size;
      traits.facts |= domain::kFactLocalMemory;
    } else if (variable->getAddressSpace() == kGlobalSpace && !variable->isConstant()) {
      traits.facts |= domain::kFactMutableProgramScope;
    }
  }
}

// True if `load`, which decides when a loop is left, may wait for another work-item's store.
bool waits(const llvm::LoadInst& load, const llvm::Loop& loop, const KernelView& view, Pointers& pointers,
           const domain::KernelTraits& traits) {
  llvm::Value* pointer = const_cast<llvm::Value*>(load.getPointerOperand());
  if (!may_reach_buffer(*pointer)) return false;
  if (load.isVolatile() || load.isAtomic()) return true;
  if (!view.evolution.isLoopInvariant(view.evolution.getSCEV(pointer), &loop)) return false;
  for (const PointerTarget& place : pointers.of(pointer)) {
    if (place.base == PointerTarget::Base::unknown || place.base == PointerTarget::Base::program) return true;
    const auto written = [&](const domain::Access& access) {
      return access.kind != domain::AccessKind::read && access.argument == place.argument;
    };
    if (place.base == PointerTarget::Base::argument && llvm::any_of(traits.accesses, written)) return true;
  }
  return false;
}

bool waits(const llvm::Instruction& instruction, const llvm::Loop& loop, const KernelView& view, Pointers& pointers,
           const domain::KernelTraits& traits) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return waits(*load, loop, view, pointers, traits);
  }
  const llvm::Value* pointer = nullptr;
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) pointer = instruction.getOperand(0);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    const llvm::StringRef name = builtin_of(*call).name;
    if ((name.starts_with("atomic_") || name.starts_with("atom_")) && !call->arg_empty())
      pointer = call->getArgOperand(0);
  }
  if (pointer == nullptr || !pointer->getType()->isPointerTy() || !may_reach_buffer(*pointer)) return false;
  return llvm::any_of(pointers.of(const_cast<llvm::Value*>(pointer)),
                      [](const PointerTarget& place) { return place.base != PointerTarget::Base::own; });
}

bool spins(const llvm::Loop& loop, const KernelView& view, Pointers& pointers, const domain::KernelTraits& traits) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  llvm::SmallVector<const llvm::Value*, 8> pending;
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;
  for (const llvm::BasicBlock* block : exiting) {
    for (const llvm::Value* operand : block->getTerminator()->operands()) pending.push_back(operand);
  }
  while (!pending.empty()) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(pending.pop_back_val());
    if (instruction == nullptr || !loop.contains(instruction) || !seen.insert(instruction).second) continue;
    if (waits(*instruction, loop, view, pointers, traits)) return true;
    for (const llvm::Value* operand : instruction->operands()) pending.push_back(operand);
  }
  return false;
}

}  // namespace

void note_code(llvm::Function& kernel, domain::KernelTraits& traits) {
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) note_call(*call, traits);
    note_types(instruction, traits);
  }
  for (const llvm::Argument& argument : kernel.args()) {
    if (argument.getType()->isPointerTy() && argument.getType()->getPointerAddressSpace() == kLocalSpace) {
      traits.facts |= domain::kFactLocalMemory;
    }
  }
  note_variables(kernel, traits);
}

void note_spinning(const KernelView& view, Pointers& pointers, domain::KernelTraits& traits) {
  for (const llvm::Loop* loop : view.loops.getLoopsInPreorder()) {
    if (spins(*loop, view, pointers, traits)) traits.facts |= domain::kFactSpinning;
  }
}

}  // namespace skmd::compiler
