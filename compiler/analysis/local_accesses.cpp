// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/local_accesses.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/analysis/analysis_constants.h"
#include "compiler/ir/address_spaces.h"

namespace skmd::compiler {

namespace {

bool may_be_local(const llvm::Value& pointer) {
  const unsigned space = pointer.getType()->getPointerAddressSpace();
  return space == kLocalSpace || space == kGenericSpace;
}

}  // namespace

void LocalAccesses::add(llvm::Instruction& instruction) {
  const llvm::DataLayout& layout = expressions_.view().layout;
  const auto bytes = [&](llvm::Type* type) { return layout.getTypeStoreSize(type).getFixedValue(); };
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return touch(instruction, *load->getPointerOperand(), bytes(load->getType()));
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return touch(instruction, *store->getPointerOperand(), bytes(store->getValueOperand()->getType()));
  if (auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return touch(instruction, *atomic->getPointerOperand(), bytes(atomic->getType()));
  if (auto* atomic = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return touch(instruction, *atomic->getPointerOperand(), bytes(atomic->getNewValOperand()->getType()));
  auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || call->isLifetimeStartOrEnd() || call->doesNotAccessMemory()) return;
  for (const llvm::Use& use : call->args()) {
    if (!use->getType()->isPtrOrPtrVectorTy() || !may_be_local(*use)) continue;
    const auto* transfer = llvm::dyn_cast<llvm::MemIntrinsic>(call);
    const auto* length = transfer == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(transfer->getLength());
    if (length == nullptr || length->getValue().getActiveBits() > 31) {
      known_ = false;  // builtins that access memory by themselves, copies of a group
    } else if (!length->isZero()) {
      touch(instruction, *use, length->getZExtValue());
    }
  }
}

void LocalAccesses::touch(llvm::Instruction& at, llvm::Value& pointer, std::uint64_t bytes) {
  if (!known_ || !may_be_local(pointer)) return;
  for (const PointerTarget& place : pointers_.of(&pointer)) {
    if (place.base == PointerTarget::Base::own) continue;
    const bool found = place.base == PointerTarget::Base::argument && place.offset != domain::kNoNode &&
                       !expressions_.nodes().is_unknown(place.offset);
    if (!found || traits_.local_accesses.size() >= tuning::kMaxAnalysedAccesses) {
      known_ = false;
      return;
    }
    domain::Access access;
    access.argument = place.argument;
    access.offset = place.offset;
    access.width = static_cast<std::uint32_t>(bytes);
    Circumstances around = circumstances_of(at.getParent(), control_, expressions_);
    access.guards = std::move(around.guards);
    access.loops = std::move(around.loops);
    if (!llvm::is_contained(traits_.local_accesses, access)) traits_.local_accesses.push_back(std::move(access));
  }
}

void LocalAccesses::finish() {
  traits_.locals_known = known_;
  if (!known_) return traits_.local_accesses.clear();
  for (const llvm::GlobalVariable* variable : variables_)
    traits_.local_variables.push_back(
        expressions_.view().layout.getTypeAllocSize(variable->getValueType()).getFixedValue());
}

}  // namespace skmd::compiler
