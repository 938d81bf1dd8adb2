// SPDX-License-Identifier: Apache-2.0
// Arithmetic on a group's elements in the order that they have in memory. Where the same is done to each member of a
// structure, nothing has to be sorted by member before and put back after.
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>

#include "cpu-driver/codegen/vector/widener.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

constexpr std::size_t kMostSteps = 48;

bool is_elementwise(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::fmuladd:
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::minimumnum:
    case llvm::Intrinsic::maximumnum:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax:
      return true;
    default:
      return false;
  }
}

bool is_number(const llvm::Type* type) { return type->isIntegerTy() || type->isFloatTy() || type->isDoubleTy(); }

bool is_elementwise(const Instruction& instruction) {
  if (!is_number(instruction.getType())) return false;
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return is_elementwise(call->getIntrinsicID()) && !call->hasOperandBundles();
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) return !operation->isIntDivRem();
  if (llvm::isa<llvm::CastInst>(instruction)) return is_number(instruction.getOperand(0)->getType());
  return llvm::isa<llvm::UnaryOperator>(instruction);
}

unsigned operands_of(const Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call != nullptr ? call->arg_size() : instruction.getNumOperands();
}

// What the same step does to each member.
bool is_one_step(llvm::ArrayRef<Value*> parts) {
  const auto* first = llvm::dyn_cast<Instruction>(parts[0]);
  if (first == nullptr || !is_elementwise(*first)) return false;
  return llvm::all_of(parts, [&](const Value* part) {
    const auto* other = llvm::dyn_cast<Instruction>(part);
    if (other == nullptr || !other->isSameOperationAs(first)) return false;
    const auto* call = llvm::dyn_cast<llvm::CallInst>(other);
    return call == nullptr || call->getCalledOperand() == llvm::cast<llvm::CallInst>(first)->getCalledOperand();
  });
}

}  // namespace

class Widener::Interleaver {
 public:
  Interleaver(Widener& widener, const AccessGroup& stores) : widener_(widener), stores_(stores) {}

  /// The stored elements lane by lane; null if they have to be put in order.
  Value* run() {
    Parts parts;
    for (const Access& member : stores_.members) parts.push_back(member.stored);
    if (!is_whole(parts) || !inner_steps()) return nullptr;
    return made_[parts];
  }

 private:
  using Parts = std::vector<Value*>;

  // Steps are entered in `order_` behind what they need, so that nothing is made before it is sure.
  bool is_whole(const Parts& parts) {
    if (made_.contains(parts)) return true;
    if (order_.size() > kMostSteps) return false;
    const bool known = is_leaf(parts);
    if (!known && !is_one_step(parts)) return false;
    if (!known)
      for (unsigned at = 0; at < operands_of(*llvm::cast<Instruction>(parts[0])); ++at)
        if (!is_whole(operands(parts, at))) return false;
    made_[parts] = nullptr;
    order_.push_back(parts);
    if (!known)
      for (Value* part : parts) steps_.insert(part);
    return true;
  }

  static Parts operands(const Parts& parts, unsigned at) {
    Parts found;
    for (Value* part : parts) found.push_back(llvm::cast<Instruction>(part)->getOperand(at));
    return found;
  }

  bool all_uniform(const Parts& parts) const {
    return llvm::all_of(parts, [&](Value* part) { return widener_.shapes_[part].uniform(); });
  }

  bool is_leaf(const Parts& parts) const {
    if (!is_number(parts[0]->getType()) || parts[0]->getType()->isIntegerTy(1)) return false;
    return loaded(parts) != nullptr || all_uniform(parts);
  }

  Value* loaded(const Parts& parts) const {
    const auto* first = llvm::dyn_cast<Instruction>(parts[0]);
    const AccessGroup* group = first == nullptr ? nullptr : widener_.groups_.of(first);
    if (group == nullptr || group->members.size() != parts.size()) return nullptr;
    for (std::size_t member = 0; member < parts.size(); ++member)
      if (group->members[member].instruction != parts[member]) return nullptr;
    return widener_.wholes_.lookup(group);
  }

  // Whether nobody else needs what the steps compute, which would then be done twice. Makes them.
  bool inner_steps() {
    for (const Value* step : steps_)
      for (const llvm::User* user : step->users())
        if (!steps_.contains(user) &&
            llvm::none_of(stores_.members, [&](const Access& member) { return member.instruction == user; }))
          return false;
    for (const Parts& parts : order_) made_[parts] = is_leaf(parts) ? leaf(parts) : step(parts);
    return true;
  }

  Value* leaf(const Parts& parts) {
    if (Value* wide = loaded(parts)) return wide;
    Builder& builder = widener_.builder_;
    const unsigned count = parts.size();
    Value* once = llvm::PoisonValue::get(llvm::FixedVectorType::get(parts[0]->getType(), count));
    for (unsigned member = 0; member < count; ++member)
      once = builder.CreateInsertElement(once, widener_.scalar(parts[member]), member);
    llvm::SmallVector<int, 128> places;
    for (unsigned at = 0; at < count * widener_.lanes_; ++at) places.push_back(static_cast<int>(at % count));
    return builder.CreateShuffleVector(once, places);
  }

  Value* step(const Parts& parts) {
    auto* first = llvm::cast<Instruction>(parts[0]);
    llvm::SmallVector<Value*, 3> given;
    for (unsigned at = 0; at < operands_of(*first); ++at) given.push_back(made_[operands(parts, at)]);
    auto* type = llvm::FixedVectorType::get(first->getType(), parts.size() * widener_.lanes_);
    Builder& builder = widener_.builder_;
    Value* made = nullptr;
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(first))
      made = builder.CreateIntrinsic(call->getIntrinsicID(), {type}, given);
    else if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(first))
      made = builder.CreateCast(cast->getOpcode(), given[0], type);
    else if (llvm::isa<llvm::UnaryOperator>(first))
      made = builder.CreateUnOp(llvm::Instruction::FNeg, given[0]);
    else
      made = builder.CreateBinOp(llvm::cast<llvm::BinaryOperator>(first)->getOpcode(), given[0], given[1]);
    if (auto* instruction = llvm::dyn_cast<Instruction>(made)) {
      instruction->copyIRFlags(first);
      for (Value* part : parts) instruction->andIRFlags(part);
    }
    return made;
  }

  Widener& widener_;
  const AccessGroup& stores_;
  std::map<Parts, Value*> made_;
  std::vector<Parts> order_;
  llvm::SmallPtrSet<const Value*, 32> steps_;
};

Value* Widener::in_order(const AccessGroup& stores) { return Interleaver(*this, stores).run(); }

}  // namespace skmd::codegen
