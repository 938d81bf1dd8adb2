// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/check/stand_in.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>

#include <cstddef>
#include <optional>

#include "cpu-driver/codegen/check/checks.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

domain::Error unknown_use() { return {0, "it uses the launch's frame in a way that is not known"}; }

// The constant bytes that a place is behind `base`.
std::optional<std::uint64_t> offset_of(const Value& user, const Value& base) {
  const auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(&user);
  if (place == nullptr || place->getPointerOperand() != &base) return std::nullopt;
  llvm::APInt bytes(64, 0);
  if (!place->accumulateConstantOffset(place->getDataLayout(), bytes)) return std::nullopt;
  return bytes.getZExtValue();
}

void erase(Value& user) { llvm::cast<Instruction>(user).eraseFromParent(); }

// `list`: the loaded address of the launch's arguments.
domain::Status replace_sizes(Value& list, const StandIn& stand_in) {
  for (llvm::User* place : llvm::make_early_inc_range(list.users())) {
    const auto bytes = offset_of(*place, list);
    if (!bytes || *bytes % sizeof(cpu::SpanArgument) != offsetof(cpu::SpanArgument, size)) return unknown_use();
    for (llvm::User* user : llvm::make_early_inc_range(place->users())) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
      if (load == nullptr || !load->getType()->isIntegerTy(64)) return unknown_use();
      llvm::IRBuilder<> ir(load);
      load->replaceAllUsesWith(stand_in.size(ir, static_cast<unsigned>(*bytes / sizeof(cpu::SpanArgument))));
      load->eraseFromParent();
    }
    erase(*place);
  }
  return {};
}

domain::Status replace_arguments(Value& place, const StandIn& stand_in) {
  for (llvm::User* user : llvm::make_early_inc_range(place.users())) {
    auto* list = llvm::dyn_cast<llvm::LoadInst>(user);
    if (list == nullptr || !list->getType()->isPointerTy()) return unknown_use();
    if (domain::Status status = replace_sizes(*list, stand_in); !status) return status;
    list->eraseFromParent();
  }
  return {};
}

}  // namespace

domain::Status stand_in_for(Value& frame, const StandIn& stand_in) {
  for (llvm::User* user : llvm::make_early_inc_range(frame.users())) {
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) {
      const llvm::Function* callee = call->getCalledFunction();
      if (callee == nullptr || callee->getName() != kCheckFailed) return unknown_use();
      llvm::SmallVector<Value*, 6> told(llvm::drop_begin(call->args()));
      llvm::IRBuilder<> ir(call);
      stand_in.tell(ir, told);
    } else if (offset_of(*user, frame) == offsetof(cpu::SpanFrame, arguments)) {
      if (domain::Status status = replace_arguments(*user, stand_in); !status) return status;
    } else {
      return unknown_use();
    }
    erase(*user);
  }
  return {};
}

}  // namespace skmd::codegen
