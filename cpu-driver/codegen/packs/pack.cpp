// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/packs/pack.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

#include "cpu-driver/codegen/packs/plan.h"
#include "cpu-driver/codegen/packs/spread.h"
#include "cpu-driver/codegen/vector/lookups.h"

namespace skmd::codegen {

namespace {

using llvm::FixedVectorType;
using llvm::Instruction;
using llvm::Value;

unsigned lanes_in(const Value& value) { return llvm::cast<FixedVectorType>(value.getType())->getNumElements(); }

class Packer {
 public:
  Packer(llvm::Function& function, const PackPlan& plan, const llvm::DominatorTree& dominators)
      : plan_(plan),
        dominators_(dominators),
        builder_(function.getContext(), llvm::TargetFolder(function.getDataLayout())),
        made_(plan.packs().size(), nullptr) {}

  void run() {
    std::vector<Value*> wholes;
    for (const Seed& seed : plan_.seeds()) wholes.push_back(make(seed.pack));
    fill_phis();
    for (std::size_t at = 0; at < wholes.size(); ++at) plan_.seeds()[at].shuffle->replaceAllUsesWith(wholes[at]);
    for (unsigned number = 0; number < made_.size(); ++number) hand_out(number);
  }

 private:
  const Pack& pack(unsigned number) const { return plan_.packs()[number]; }

  FixedVectorType* type_of(unsigned number) const {
    const Value& member = *pack(number).members[0];
    return FixedVectorType::get(member.getType()->getScalarType(), lanes_in(member) * pack(number).members.size());
  }

  Value* make(unsigned number) {
    if (made_[number] != nullptr) return made_[number];
    const Pack& one = pack(number);
    if (one.kind == Pack::Kind::phi) return make_phi(number);
    llvm::SmallVector<Value*, 3> given;
    if (one.kind == Pack::Kind::step || one.kind == Pack::Kind::permuted)
      for (const unsigned operand : one.operands) given.push_back(operand == Pack::kSame ? nullptr : make(operand));
    builder_.SetInsertPoint(one.place);
    switch (one.kind) {
      case Pack::Kind::repeated:
        return made_[number] = repeated(one);
      case Pack::Kind::shuffled:
        return made_[number] = shuffled(one);
      case Pack::Kind::permuted:
        return made_[number] = builder_.CreateShuffleVector(given[0], one.places);
      case Pack::Kind::step:
        return made_[number] = step(number, given);
      default:
        return made_[number] = interleaved(builder_, one.members);
    }
  }

  Value* make_phi(unsigned number) {
    builder_.SetInsertPoint(llvm::cast<Instruction>(pack(number).members[0]));
    auto* phi = builder_.CreatePHI(type_of(number), pack(number).operands.size(), "pack");
    phis_.emplace_back(phi, number);
    return made_[number] = phi;
  }

  void fill_phis() {
    for (std::size_t at = 0; at < phis_.size(); ++at) {  // making operands may make more
      const auto [phi, number] = phis_[at];
      const auto* first = llvm::cast<llvm::PHINode>(pack(number).members[0]);
      for (unsigned from = 0; from < first->getNumIncomingValues(); ++from) {
        Value* value = make(pack(number).operands[from]);
        phi->addIncoming(value, first->getIncomingBlock(from));
      }
    }
  }

  Value* shuffled(const Pack& one) {
    llvm::Type* element = one.members[0]->getType()->getScalarType();
    llvm::SmallVector<Value*, 2> sources;
    for (Value* source : one.sources) {
      const unsigned bits = source->getType()->getPrimitiveSizeInBits().getFixedValue();
      sources.push_back(builder_.CreateBitCast(
          source, FixedVectorType::get(element, bits / element->getPrimitiveSizeInBits().getFixedValue())));
    }
    bool whole = sources.size() == 1 && lanes_in(*sources[0]) == one.places.size();
    for (unsigned at = 0; whole && at < one.places.size(); ++at)
      whole = one.places[at] < 0 || one.places[at] == static_cast<int>(at);
    if (whole) return sources[0];
    if (sources.size() == 1) return builder_.CreateShuffleVector(sources[0], one.places);
    return builder_.CreateShuffleVector(sources[0], sources[1], one.places);
  }

  Value* repeated(const Pack& one) {
    const unsigned count = one.members.size();
    Value* once = llvm::PoisonValue::get(FixedVectorType::get(one.members[0]->getType()->getScalarType(), count));
    for (unsigned member = 0; member < count; ++member)
      once = builder_.CreateInsertElement(once, llvm::getSplatValue(one.members[member]), member);
    llvm::SmallVector<int, 64> places;
    for (unsigned at = 0; at < count * lanes_in(*one.members[0]); ++at) places.push_back(static_cast<int>(at % count));
    return builder_.CreateShuffleVector(once, places);
  }

  Value* step(unsigned number, llvm::SmallVectorImpl<Value*>& given) {
    const Pack& one = pack(number);
    auto* first = llvm::cast<Instruction>(one.members[0]);
    for (unsigned at = 0; at < given.size(); ++at)
      if (given[at] == nullptr) given[at] = first->getOperand(at);
    Value* made = operation(*first, type_of(number), given);
    if (auto* instruction = llvm::dyn_cast<Instruction>(made); instruction != nullptr && !is_lookup(*first)) {
      instruction->copyIRFlags(first);
      for (Value* member : one.members) instruction->andIRFlags(member);
    }
    return made;
  }

  Value* operation(Instruction& first, FixedVectorType* type, llvm::ArrayRef<Value*> given) {
    if (is_lookup(first)) return create_lookup(builder_, given[0], given[1], given[2]);
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&first))
      return builder_.CreateIntrinsic(call->getIntrinsicID(), {type}, given);
    if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&first))
      return builder_.CreateCast(cast->getOpcode(), given[0], type);
    if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&first))
      return builder_.CreateCmp(compare->getPredicate(), given[0], given[1]);
    if (llvm::isa<llvm::SelectInst>(first)) return builder_.CreateSelect(given[0], given[1], given[2]);
    if (llvm::isa<llvm::UnaryOperator>(first)) return builder_.CreateUnOp(Instruction::FNeg, given[0]);
    return builder_.CreateBinOp(llvm::cast<llvm::BinaryOperator>(first).getOpcode(), given[0], given[1]);
  }

  // Remaining uses of a member get its lanes of the pack.
  void hand_out(unsigned number) {
    const Pack& one = pack(number);
    auto* whole = made_[number];
    if (whole == nullptr || (one.kind != Pack::Kind::step && one.kind != Pack::Kind::phi)) return;
    const unsigned count = one.members.size();
    for (unsigned member = 0; member < count; ++member) {
      llvm::SmallVector<int, 64> places;
      for (unsigned lane = 0; lane < lanes_in(*one.members[member]); ++lane)
        places.push_back(static_cast<int>(lane * count + member));
      builder_.SetInsertPoint(one.place);
      Value* lanes = builder_.CreateShuffleVector(whole, places);
      auto* taken = llvm::dyn_cast<Instruction>(lanes);
      if (taken == nullptr) continue;
      one.members[member]->replaceUsesWithIf(lanes,
                                             [&](const llvm::Use& use) { return dominators_.dominates(taken, use); });
    }
  }

  const PackPlan& plan_;
  const llvm::DominatorTree& dominators_;
  Builder builder_;
  std::vector<Value*> made_;
  std::vector<std::pair<llvm::PHINode*, unsigned>> phis_;
};

}  // namespace

bool pack_members(llvm::Function& function, Isa isa, const llvm::DominatorTree& dominators) {
  const bool changed = spread_members(function);
  const PackPlan plan(function, isa, dominators);
  if (plan.seeds().empty()) return changed;
  Packer(function, plan, dominators).run();
  return true;
}

}  // namespace skmd::codegen
