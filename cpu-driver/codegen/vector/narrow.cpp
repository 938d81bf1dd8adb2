// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/narrow.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>

#include "cpu-driver/codegen/vector/lane_code.h"
#include "cpu-driver/codegen/vector/vector_constants.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

bool is_half(const llvm::User* user) {
  return llvm::isa<llvm::TruncInst>(user) && user->getType()->isIntegerTy() &&
         user->getType()->getIntegerBitWidth() <= 32;
}

bool is_sum_or_product(const Value* value) {
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
  return operation != nullptr &&
         (operation->getOpcode() == Instruction::Add || operation->getOpcode() == Instruction::Sub ||
          operation->getOpcode() == Instruction::Mul);
}

class Narrower {
 public:
  explicit Narrower(llvm::Function& function)
      : function_(function), half_(llvm::Type::getInt32Ty(function.getContext())) {}

  void run() {
    llvm::SmallVector<llvm::PHINode*, 8> phis;
    for (Instruction& instruction : llvm::instructions(function_)) {
      auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction);
      if (phi != nullptr && phi->getType()->isIntegerTy(64) && !phi->use_empty() && llvm::all_of(phi->users(), is_half))
        phis.push_back(phi);
    }
    if (phis.empty()) return;
    for (llvm::PHINode* phi : phis)
      halves_.insert({phi, llvm::TrackingVH<Value>(llvm::PHINode::Create(
                               half_, phi->getNumIncomingValues(), phi->getName() + ".half", phi->getIterator()))});
    for (llvm::PHINode* phi : phis) {
      auto* half = llvm::cast<llvm::PHINode>(half_of(phi, 0));
      for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k)
        half->addIncoming(half_of(phi->getIncomingValue(k), 0), phi->getIncomingBlock(k));
    }
    // Sums that went into them are asked for their halves elsewhere, too.
    for (auto& [whole, half] : halves_)
      if (!llvm::isa<llvm::Constant>(whole)) replace_uses(*whole);
    llvm::SmallVector<llvm::WeakTrackingVH, 8> dead(phis.begin(), phis.end());
    llvm::RecursivelyDeleteTriviallyDeadInstructions(dead);
  }

 private:
  // Where `whole` is computed, so that it can stand for each use.
  Value* half_of(Value* whole, unsigned depth) {
    if (const auto known = halves_.find(whole); known != halves_.end()) return known->second;
    Value* half = make_half(whole, depth);
    halves_.insert({whole, llvm::TrackingVH<Value>(half)});
    return half;
  }

  Value* make_half(Value* whole, unsigned depth) {
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(whole))
      return llvm::ConstantInt::get(half_, number->getValue().trunc(32));
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(whole);
        cast != nullptr && llvm::isa<llvm::ZExtInst, llvm::SExtInst>(cast) && cast->getSrcTy() == half_)
      return cast->getOperand(0);
    llvm::IRBuilder<> builder(behind(*whole, function_));
    if (!is_sum_or_product(whole) || depth == tuning::kMaxNarrowDepth) return builder.CreateTrunc(whole, half_);
    auto& operation = llvm::cast<llvm::BinaryOperator>(*whole);
    Value* left = half_of(operation.getOperand(0), depth + 1);
    Value* right = half_of(operation.getOperand(1), depth + 1);
    return builder.CreateBinOp(operation.getOpcode(), left, right);
  }

  void replace_uses(Value& whole) {
    Value* half = half_of(&whole, 0);
    for (llvm::User* user : llvm::make_early_inc_range(whole.users())) {
      if (!is_half(user) || user == half) continue;
      auto& cut = llvm::cast<llvm::TruncInst>(*user);
      llvm::IRBuilder<> builder(&cut);
      cut.replaceAllUsesWith(builder.CreateTrunc(half, cut.getType()));
      cut.eraseFromParent();
    }
  }

  llvm::Function& function_;
  llvm::Type* half_;
  llvm::MapVector<Value*, llvm::TrackingVH<Value>> halves_;  // cuts that go are followed
};

}  // namespace

void narrow_halves(llvm::Function& function) { Narrower(function).run(); }

}  // namespace skmd::codegen
