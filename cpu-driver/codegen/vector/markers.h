// SPDX-License-Identifier: Apache-2.0
// The calls of the masked form (item_function.h), told apart.
#pragma once

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdint>
#include <optional>

#include "cpu-driver/codegen/item_function.h"

namespace skmd::codegen {

enum class Marker : std::uint8_t { none, any, load, store, each, builtin, intrinsic };

/// What `instruction` is called for; `none` if it is no call.
inline Marker marker(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (call == nullptr) return Marker::none;
  if (llvm::isa<llvm::IntrinsicInst>(call)) return Marker::intrinsic;
  const llvm::Function* callee = call->getCalledFunction();
  if (callee == nullptr) return Marker::builtin;
  if (callee->getName() == kAny) return Marker::any;
  if (callee->getName().starts_with(kLoadPrefix)) return Marker::load;
  if (callee->getName().starts_with(kStorePrefix)) return Marker::store;
  if (callee->getName().starts_with(kEachPrefix)) return Marker::each;
  return Marker::builtin;
}

/// Which lanes a call is made for; null: all of them.
inline llvm::Value* bundle_mask(const llvm::CallInst& call) {
  const std::optional<llvm::OperandBundleUse> bundle = call.getOperandBundle(kMaskBundle);
  return bundle ? bundle->Inputs[0].get() : nullptr;
}

/// Whether `mask`, of a call or of an access, is known to be set for every lane that the function is called for.
inline bool all_lanes(const llvm::Value* mask) {
  if (mask == nullptr) return true;
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(mask);
  return constant != nullptr && constant->isOne();
}

/// Whether a call depends on its arguments only. LLVM's own answer takes the bundle for an access of memory.
inline bool is_pure(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return call.getAttributes().getMemoryEffects().doesNotAccessMemory() ||
         (callee != nullptr && callee->doesNotAccessMemory());
}

/// An access of memory: a marker, or an ordinary one.
struct Access {
  llvm::Instruction* instruction = nullptr;
  llvm::Value* pointer = nullptr;
  llvm::Value* stored = nullptr;  // null: a load
  llvm::Value* mask = nullptr;    // null: every lane
  llvm::Align align;
  [[nodiscard]] llvm::Type* type() const { return stored != nullptr ? stored->getType() : instruction->getType(); }
};

inline std::optional<Access> access(llvm::Instruction& instruction) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return Access{load, load->getPointerOperand(), nullptr, nullptr, load->getAlign()};
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return Access{store, store->getPointerOperand(), store->getValueOperand(), nullptr, store->getAlign()};
  const Marker what = marker(instruction);
  if (what != Marker::load && what != Marker::store) return std::nullopt;
  auto& call = llvm::cast<llvm::CallInst>(instruction);
  const unsigned pointer = what == Marker::load ? 0 : 1;
  return Access{&call, call.getArgOperand(pointer), pointer == 0 ? nullptr : call.getArgOperand(0),
                call.getArgOperand(pointer + 1), call.getParamAlign(pointer).valueOrOne()};
}

/// Whether a load or store of LLVM's own is neither atomic nor volatile; markers never are.
inline bool is_simple(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store == nullptr || store->isSimple();
}

}  // namespace skmd::codegen
