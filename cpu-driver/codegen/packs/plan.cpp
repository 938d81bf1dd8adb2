// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/packs/plan.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <set>

#include "cpu-driver/codegen/packs/origins.h"
#include "cpu-driver/codegen/packs/packs_constants.h"
#include "cpu-driver/codegen/vector/lookups.h"

namespace skmd::codegen {

namespace {

using llvm::FixedVectorType;
using llvm::Instruction;
using llvm::Value;

unsigned lanes_in(const Value& value) { return llvm::cast<FixedVectorType>(value.getType())->getNumElements(); }

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

bool is_number(const Value& value) {
  const llvm::Type* type = value.getType()->getScalarType();
  return type->isIntegerTy() || type->isFloatTy() || type->isDoubleTy();
}

bool is_elementwise(const Instruction& instruction) {
  if (is_lookup(instruction)) return true;
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return is_elementwise(call->getIntrinsicID()) && !call->hasOperandBundles();
  if (llvm::isa<llvm::BitCastInst>(instruction))
    return llvm::isa<FixedVectorType>(instruction.getOperand(0)->getType()) &&
           lanes_in(*instruction.getOperand(0)) == lanes_in(instruction);
  if (llvm::isa<llvm::CastInst, llvm::CmpInst>(instruction)) return is_number(*instruction.getOperand(0));
  return llvm::isa<llvm::UnaryOperator, llvm::BinaryOperator, llvm::SelectInst>(instruction);
}

unsigned operands_of(const Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call != nullptr ? call->arg_size() : instruction.getNumOperands();
}

bool same_operation(const Instruction& one, const Instruction& other) {
  if (!one.isSameOperationAs(&other)) return false;
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&one);
  return call == nullptr || call->getCalledOperand() == llvm::cast<llvm::CallInst>(other).getCalledOperand();
}

}  // namespace

PackPlan::PackPlan(llvm::Function& function, Isa isa, const llvm::DominatorTree& dominators)
    : function_(function), isa_(isa), dominators_(dominators) {
  for (Instruction& instruction : llvm::instructions(function))
    if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction)) add_seed(*shuffle);
  if (!expand_all()) seeds_.clear();
  find_parts();
  keep_what_is_worth_it();
}

bool PackPlan::add_seed(llvm::ShuffleVectorInst& shuffle) {
  const unsigned lanes =
      shuffle.getType()->getScalarSizeInBits() * lanes_in(shuffle) > tuning::kMaxPackBits ? 0 : lanes_in(shuffle);
  for (const unsigned count : {8U, 4U, 3U, 2U}) {
    if (lanes % count != 0 || lanes / count < 2 || !is_number(shuffle)) continue;
    Members members;
    for (unsigned at = 0; at < lanes; ++at) {
      const Origin origin = origin_of(shuffle, at, lanes / count);
      if (origin.root == nullptr || origin.root->getType()->getScalarType() != shuffle.getType()->getScalarType() ||
          lanes_in(*origin.root) != lanes / count ||
          origin.bit != at / count * shuffle.getType()->getScalarSizeInBits())
        break;
      if (at < count)
        members.push_back(origin.root);
      else if (members[at % count] != origin.root)
        break;
      if (at + 1 < lanes) continue;
      seeds_.push_back({&shuffle, pack_of(members)});
      for (Value* join = &shuffle; llvm::isa<llvm::ShuffleVectorInst>(join) && !llvm::is_contained(members, join);
           join = llvm::cast<Instruction>(join)->getOperand(0)) {
        joining_.insert(join);
        joining_.insert(llvm::cast<Instruction>(join)->getOperand(1));
      }
      return true;
    }
  }
  return false;
}

unsigned PackPlan::pack_of(const Members& members) {
  const auto [place, fresh] = numbers_.try_emplace(members, static_cast<unsigned>(packs_.size()));
  if (fresh) packs_.emplace_back().members = members;
  return place->second;
}

// Packs of different members first: others are often some of their lanes.
bool PackPlan::expand_all() {
  const auto different = [](const Pack& pack) {
    return std::set<Value*>(pack.members.begin(), pack.members.end()).size();
  };
  while (packs_.size() <= tuning::kMaxPacks) {
    std::size_t best = packs_.size();
    for (std::size_t at = 0; at < packs_.size(); ++at)
      if (packs_[at].kind == Pack::Kind::open &&
          (best == packs_.size() || different(packs_[at]) > different(packs_[best])))
        best = at;
    if (best == packs_.size()) return true;
    expand(static_cast<unsigned>(best));
  }
  return false;
}

void PackPlan::expand(unsigned number) {
  if (make_constant(packs_[number]) || make_repeated(packs_[number]) || make_shuffled(packs_[number]) ||
      make_permuted(number) || make_step(number) || make_phi(number))
    return;
  packs_[number].kind = Pack::Kind::gathered;
}

bool PackPlan::make_constant(Pack& pack) {
  if (!llvm::all_of(pack.members, [](const Value* member) { return llvm::isa<llvm::Constant>(member); })) return false;
  pack.kind = Pack::Kind::constant;
  return true;
}

bool PackPlan::make_repeated(Pack& pack) {
  if (!llvm::all_of(pack.members, [](const Value* member) { return llvm::getSplatValue(member) != nullptr; }))
    return false;
  pack.kind = Pack::Kind::repeated;
  return true;
}

// The same member several times, or lanes of something else that members were taken from.
bool PackPlan::make_shuffled(Pack& pack) {
  const Members& members = pack.members;
  const unsigned lanes = lanes_in(*members[0]), count = members.size();
  const std::uint64_t width = members[0]->getType()->getScalarSizeInBits();
  const bool same = llvm::all_equal(members);
  llvm::SmallVector<Value*, 2> sources;
  llvm::SmallVector<int, 64> places;
  for (unsigned at = 0; at < lanes * count; ++at) {
    Value& member = *members[at % count];
    const Origin origin = same ? Origin{&member, at / count * width} : origin_of(member, at / count);
    if (origin.root == nullptr) {
      places.push_back(-1);
      continue;
    }
    if ((!same && origin.root == &member) || origin.bit % width != 0) return false;
    const auto* source = llvm::find(sources, origin.root);
    const auto place = static_cast<unsigned>(source - sources.begin());
    if (place == sources.size()) sources.push_back(origin.root);
    if (sources.size() > 2 || sources.front()->getType() != origin.root->getType()) return false;
    const std::uint64_t bits = origin.root->getType()->getPrimitiveSizeInBits().getFixedValue();
    if (bits == 0 || bits % width != 0) return false;
    if (width < 8 && origin.root->getType()->getScalarSizeInBits() != width) return false;
    places.push_back(static_cast<int>(place * (bits / width) + origin.bit / width));
  }
  if (sources.empty()) return false;
  pack.kind = Pack::Kind::shuffled;
  pack.sources = sources;
  pack.places = places;
  return true;
}

bool PackPlan::make_permuted(unsigned number) {
  const Members& members = packs_[number].members;
  const auto first = homes_.find(members[0]);
  if (first == homes_.end()) return false;
  const unsigned home = first->second.first, count = members.size();
  llvm::SmallVector<int, 64> places;
  for (unsigned at = 0; at < lanes_in(*members[0]) * count; ++at) {
    const auto place = homes_.find(members[at % count]);
    if (place == homes_.end() || place->second.first != home) return false;
    places.push_back(static_cast<int>(at / count * packs_[home].members.size() + place->second.second));
  }
  packs_[number].kind = Pack::Kind::permuted;
  packs_[number].places = places;
  packs_[number].operands = {home};
  return true;
}

// How well `other`, `by` members later, goes into one pack with `one`: 0 to 3, where it is that many members later in
// what both are of.
unsigned PackPlan::fit(Value& one, Value& other, unsigned by) const {
  if (llvm::isa<llvm::Constant>(one) || llvm::isa<llvm::Constant>(other))
    return llvm::isa<llvm::Constant>(one) && llvm::isa<llvm::Constant>(other) ? 2 : 0;
  const Origin first = origin_of(one, 0), second = origin_of(other, 0);
  if (first.root != &one && first.root == second.root)
    return second.bit == first.bit + by * one.getType()->getScalarSizeInBits() ? 3 : 2;
  const auto home = homes_.find(&one), other_home = homes_.find(&other);
  if (home != homes_.end() && other_home != homes_.end() && home->second.first == other_home->second.first) {
    const std::size_t count = packs_[home->second.first].members.size();
    return other_home->second.second == (home->second.second + by) % count ? 3 : 2;
  }
  const auto* step = llvm::dyn_cast<Instruction>(&one);
  const auto* other_step = llvm::dyn_cast<Instruction>(&other);
  return step != nullptr && other_step != nullptr && step->getParent() == other_step->getParent() &&
                 same_operation(*step, *other_step)
             ? 1
             : 0;
}

// Where operands may change places, those of one pack should be alike.
llvm::SmallVector<bool, 4> PackPlan::turns(const Members& members) const {
  const auto* first = llvm::cast<Instruction>(members[0]);
  llvm::SmallVector<bool, 4> turned(members.size(), false);
  if (!first->isCommutative() || operands_of(*first) != 2) return turned;
  for (unsigned at = 1; at < members.size(); ++at) {
    const auto* other = llvm::cast<Instruction>(members[at]);
    const auto fits = [&](unsigned a, unsigned b) {
      return fit(*first->getOperand(0), *other->getOperand(a), at) +
             fit(*first->getOperand(1), *other->getOperand(b), at);
    };
    turned[at] = fits(1, 0) > fits(0, 1);
  }
  return turned;
}

bool PackPlan::make_step(unsigned number) {
  const Members members = packs_[number].members;
  const auto* first = llvm::dyn_cast<Instruction>(members[0]);
  if (first == nullptr || !is_number(*first) || !is_elementwise(*first)) return false;
  for (const Value* member : members) {
    const auto* other = llvm::dyn_cast<Instruction>(member);
    if (other == nullptr || other->getParent() != first->getParent() || !same_operation(*first, *other)) return false;
  }
  const llvm::SmallVector<bool, 4> turned = turns(members);
  llvm::SmallVector<Members, 3> operands;
  for (unsigned at = 0; at < operands_of(*first); ++at) {
    Members each;
    for (unsigned m = 0; m < members.size(); ++m)
      each.push_back(llvm::cast<Instruction>(members[m])->getOperand(turned[m] ? 1 - at : at));
    const auto* type = llvm::dyn_cast<FixedVectorType>(each[0]->getType());
    if (type == nullptr ? !llvm::all_equal(each) : type->getNumElements() != lanes_in(*first)) return false;
    operands.push_back(std::move(each));
  }
  llvm::SmallVector<unsigned, 3> numbers;
  for (const Members& each : operands)
    numbers.push_back(llvm::isa<FixedVectorType>(each[0]->getType()) ? pack_of(each) : Pack::kSame);
  Pack& pack = packs_[number];
  pack.kind = Pack::Kind::step;
  pack.turned = turned;
  pack.operands = numbers;
  settle(number);
  return true;
}

bool PackPlan::make_phi(unsigned number) {
  const Members members = packs_[number].members;
  const auto* first = llvm::dyn_cast<llvm::PHINode>(members[0]);
  if (first == nullptr) return false;
  for (const Value* member : members)
    if (!llvm::isa<llvm::PHINode>(member) || llvm::cast<Instruction>(member)->getParent() != first->getParent())
      return false;
  llvm::SmallVector<unsigned, 3> numbers;
  for (const llvm::BasicBlock* from : first->blocks()) {
    Members each;
    for (const Value* member : members)
      each.push_back(llvm::cast<llvm::PHINode>(member)->getIncomingValueForBlock(from));
    numbers.push_back(pack_of(each));
  }
  packs_[number].kind = Pack::Kind::phi;
  packs_[number].operands = numbers;
  settle(number);
  return true;
}

void PackPlan::settle(unsigned number) {
  for (unsigned at = 0; at < packs_[number].members.size(); ++at)
    homes_.try_emplace(packs_[number].members[at], number, at);
}

}  // namespace skmd::codegen
