// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/pointers.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Operator.h>

#include "compiler/analysis/analysis_constants.h"
#include "compiler/ir/address_spaces.h"

namespace skmd::compiler {

using domain::kNoNode;
using domain::NodeId;
using domain::Op;

namespace {

constexpr unsigned kAddressBits = 64;  // of OpenCL's 64-bit devices, as spir64 has them

void append(PointerTargets& targets, const PointerTarget& place) {
  for (PointerTarget& known : targets) {
    if (known.base != place.base || known.argument != place.argument) continue;
    if (known.offset == place.offset || known.base != PointerTarget::Base::argument) return;
    if (known.offset == kNoNode) return;
  }
  targets.push_back(place);
}

void append_anywhere(PointerTargets& targets, const PointerTargets& more) {
  for (PointerTarget place : more) {
    place.offset = kNoNode;
    append(targets, place);
  }
}

}  // namespace

PointerTargets Pointers::of_global(const llvm::GlobalVariable& variable) {
  const unsigned space = variable.getAddressSpace();
  if (variables_ != nullptr && space == kLocalSpace) {
    const auto known = llvm::find(*variables_, &variable);
    const auto number = first_variable_ + static_cast<unsigned>(known - variables_->begin());
    if (known == variables_->end()) variables_->push_back(&variable);
    return {PointerTarget{PointerTarget::Base::argument, number, expressions_.nodes().constant(0, kAddressBits)}};
  }
  const bool own = variables_ != nullptr || variable.isConstant() || space == kLocalSpace || space == kConstantSpace;
  return {PointerTarget{own ? PointerTarget::Base::own : PointerTarget::Base::program, 0, kNoNode}};
}

PointerTargets Pointers::of_argument(const llvm::Argument& argument) {
  const unsigned space = argument.getType()->getPointerAddressSpace();
  const bool looked_for =
      variables_ != nullptr ? space == kLocalSpace : space == kGlobalSpace || space == kConstantSpace;
  if (looked_for)
    return {PointerTarget{PointerTarget::Base::argument, argument.getArgNo(),
                          expressions_.nodes().constant(0, kAddressBits)}};
  return {PointerTarget{space == kGenericSpace ? PointerTarget::Base::unknown : PointerTarget::Base::own, 0, kNoNode}};
}

PointerTargets Pointers::of(llvm::Value* pointer) {
  if (const auto known = known_.find(pointer); known != known_.end()) return known->second;
  // Round trips through phis that scalar evolution cannot solve, and absurd nesting, end here.
  if (llvm::is_contained(active_, pointer) || active_.size() > tuning::kMaxPointerDepth) return {PointerTarget{}};
  active_.push_back(pointer);
  PointerTargets targets = found(pointer);
  active_.pop_back();
  known_[pointer] = targets;
  return targets;
}

PointerTargets Pointers::found(llvm::Value* pointer) {
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(pointer)) return of_argument(*argument);
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(pointer)) return of_global(*variable);
  if (llvm::isa<llvm::AllocaInst, llvm::ConstantPointerNull, llvm::UndefValue>(pointer)) {
    return {PointerTarget{PointerTarget::Base::own, 0, kNoNode}};
  }
  if (auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) return shifted(*address);
  if (llvm::isa<llvm::BitCastOperator, llvm::AddrSpaceCastOperator>(pointer)) {
    return of(llvm::cast<llvm::Operator>(pointer)->getOperand(0));
  }
  if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(pointer)) return of(freeze->getOperand(0));
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(pointer)) return selected(*select);
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer)) return merged(*phi);
  return {PointerTarget{}};
}

NodeId Pointers::distance(llvm::GEPOperator& address) {
  const llvm::DataLayout& layout = expressions_.view().layout;
  NodeTable& nodes = expressions_.nodes();
  if (layout.getIndexTypeSizeInBits(address.getType()) != kAddressBits) return kNoNode;
  llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> variable;
  llvm::APInt constant(kAddressBits, 0);
  if (!address.collectOffset(layout, kAddressBits, variable, constant)) return kNoNode;
  NodeId sum = nodes.constant(0, kAddressBits);
  for (const auto& [index, scale] : variable) {
    if (!index->getType()->isIntegerTy() || index->getType()->getIntegerBitWidth() > kAddressBits) return kNoNode;
    const NodeId extended = nodes.cast(Op::sext, expressions_.of(index), kAddressBits);
    const NodeId term = nodes.binary(Op::mul, extended, nodes.constant(scale.getSExtValue(), kAddressBits));
    sum = nodes.binary(Op::add, sum, term);
  }
  return nodes.binary(Op::add, sum, nodes.constant(constant.getSExtValue(), kAddressBits));
}

PointerTargets Pointers::shifted(llvm::GEPOperator& address) {
  PointerTargets targets = of(address.getPointerOperand());
  const NodeId by = distance(address);
  for (PointerTarget& place : targets) {
    if (place.base != PointerTarget::Base::argument || place.offset == kNoNode) continue;
    place.offset = by == kNoNode ? kNoNode : expressions_.nodes().binary(Op::add, place.offset, by);
  }
  return targets;
}

PointerTargets Pointers::selected(llvm::SelectInst& select) {
  PointerTargets yes = of(select.getTrueValue());
  const PointerTargets no = of(select.getFalseValue());
  const bool one_base = yes.size() == 1 && no.size() == 1 && yes[0].base == PointerTarget::Base::argument &&
                        no[0].base == PointerTarget::Base::argument && yes[0].argument == no[0].argument;
  if (one_base && yes[0].offset != kNoNode && no[0].offset != kNoNode) {
    const NodeId condition = expressions_.of(select.getCondition());
    yes[0].offset = expressions_.nodes().select(condition, yes[0].offset, no[0].offset);
    return yes;
  }
  for (const PointerTarget& place : no) append(yes, place);
  return yes;
}

PointerTargets Pointers::merged(llvm::PHINode& phi) {
  const llvm::LoopInfo& loops = expressions_.view().loops;
  const llvm::Loop* scope = loops.getLoopFor(phi.getParent());
  if (scope != nullptr && scope->getHeader() == phi.getParent()) {
    PointerTargets targets = evolved(&phi, scope);
    return targets.empty() ? anywhere_in_bases(phi) : targets;
  }
  PointerTargets targets;
  for (llvm::Value* value : phi.incoming_values()) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    const llvm::Loop* home = instruction == nullptr ? nullptr : loops.getLoopFor(instruction->getParent());
    if (home == nullptr || home->contains(phi.getParent())) {
      for (const PointerTarget& place : of(value)) append(targets, place);
      continue;
    }
    const PointerTargets after = evolved(value, scope);
    if (!after.empty()) {
      for (const PointerTarget& place : after) append(targets, place);
    } else {
      append_anywhere(targets, of(value));
    }
  }
  return targets;
}

// A pointer that moves with a loop, or that a loop has moved: {base,+,step}.
PointerTargets Pointers::evolved(llvm::Value* pointer, const llvm::Loop* scope) {
  llvm::ScalarEvolution& evolution = expressions_.view().evolution;
  const llvm::SCEV* scev = evolution.getSCEVAtScope(pointer, scope);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(scev)) return {};
  const auto* base = llvm::dyn_cast<llvm::SCEVUnknown>(evolution.getPointerBase(scev));
  if (base == nullptr || !base->getType()->isPointerTy() || base->getValue() == pointer) return {};
  const llvm::SCEV* rest = evolution.removePointerBase(scev);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(rest)) return {};
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(base->getValue());
  const llvm::Loop* home =
      instruction == nullptr ? nullptr : expressions_.view().loops.getLoopFor(instruction->getParent());
  const NodeId by = expressions_.of(rest, scope);
  PointerTargets targets = of(base->getValue());
  const bool settled = home == nullptr || (scope != nullptr && home->contains(scope));
  for (PointerTarget& place : targets) {
    if (place.base != PointerTarget::Base::argument || place.offset == kNoNode) continue;
    place.offset = settled ? expressions_.nodes().binary(Op::add, place.offset, by) : kNoNode;
  }
  return targets;
}

// Every base that reaches `phi`, also through the phis of a cycle.
PointerTargets Pointers::anywhere_in_bases(llvm::PHINode& phi) {
  PointerTargets targets;
  llvm::SmallVector<llvm::Value*, 8> pending{&phi};
  llvm::SmallVector<llvm::Value*, 8> seen{&phi};
  const auto push = [&](llvm::Value* value) {
    if (llvm::is_contained(seen, value)) return;
    seen.push_back(value);
    pending.push_back(value);
  };
  while (!pending.empty()) {
    llvm::Value* value = pending.pop_back_val();
    if (auto* merge = llvm::dyn_cast<llvm::PHINode>(value)) {
      for (llvm::Value* source : merge->incoming_values()) push(source);
    } else if (auto* select = llvm::dyn_cast<llvm::SelectInst>(value)) {
      push(select->getTrueValue());
      push(select->getFalseValue());
    } else if (auto* address = llvm::dyn_cast<llvm::GEPOperator>(value)) {
      push(address->getPointerOperand());
    } else {
      append_anywhere(targets, of(value));
    }
  }
  return targets;
}

}  // namespace skmd::compiler
