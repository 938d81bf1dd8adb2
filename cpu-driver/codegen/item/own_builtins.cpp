// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/item/own_builtins.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/ir/builtin.h"
#include "compiler/ir/geometry.h"
#include "cpu-driver/codegen/item/async_copies.h"
#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/item/item_constants.h"

namespace skmd::codegen {

namespace {

using compiler::Geometry;
using llvm::CallInst;
using llvm::IRBuilder;
using llvm::Value;

Geometry geometry_of(llvm::Function& item, unsigned arguments) {
  const auto value = [&](unsigned index) { return item_value(item, arguments, index); };
  const auto triple = [&](unsigned index) {
    return Geometry::Triple{value(index), value(index + 1), value(index + 2)};
  };
  Geometry at;
  at.work_dim = value(kWorkDim);
  at.offset = triple(kOffset);
  at.size = triple(kSize);
  at.groups = triple(kGroups);
  at.local = triple(kLocalSize);
  at.group_id = triple(kGroup);
  at.local_id = triple(kLocalId);
  at.first = triple(kFirst);
  return at;
}

bool is_fence(llvm::StringRef name) {
  return name == "mem_fence" || name == "read_mem_fence" || name == "write_mem_fence" ||
         name == "atomic_work_item_fence";
}

class Expander {
 public:
  Expander(llvm::Function& item, unsigned arguments) : item_(item), at_(geometry_of(item, arguments)) {}

  domain::Status run() {
    llvm::SmallVector<CallInst*, 32> calls;
    for (llvm::Instruction& instruction : llvm::instructions(item_))
      if (auto* call = llvm::dyn_cast<CallInst>(&instruction)) calls.push_back(call);
    for (CallInst* call : calls) {
      if (call->isInlineAsm()) return domain::Error{0, "it holds assembly"};
      if (call->getCalledFunction() == nullptr) return domain::Error{0, "it calls through a pointer"};
      if (domain::Status status = expand(*call); !status) return status;
    }
    return {};
  }

 private:
  domain::Status expand(CallInst& call) {
    const compiler::Builtin builtin = compiler::builtin_of(call);
    IRBuilder<> ir(&call);
    if (compiler::is_geometry(builtin.name)) {
      Value* dimension = call.arg_empty() ? nullptr : call.getArgOperand(0);
      replace(call, ir.CreateZExtOrTrunc(at_.answer(ir, builtin.name, dimension), call.getType()));
    } else if (builtin.name == "barrier" || builtin.name == "work_group_barrier") {
      barrier(ir);
      call.eraseFromParent();
    } else if (builtin.name == "wait_group_events") {
      // What was copied is seen by every item from here on.
      barrier(ir);
      call.eraseFromParent();
    } else if (is_async_copy(builtin.name)) {
      return expand_async_copy(call, builtin, at_);
    } else if (builtin.name == "prefetch") {
      call.eraseFromParent();
    } else if (is_fence(builtin.name)) {
      ir.CreateFence(llvm::AtomicOrdering::AcquireRelease);
      call.eraseFromParent();
    } else if (builtin.name.starts_with("work_group_") || compiler::is_sub_group(builtin.name)) {
      return domain::Error{0, "it calls " + builtin.name.str()};
    }
    return {};
  }

  static void replace(CallInst& call, Value* value) {
    call.replaceAllUsesWith(value);
    call.eraseFromParent();
  }

  void barrier(IRBuilder<>& ir) {
    llvm::FunctionCallee callee = item_.getParent()->getOrInsertFunction(kBarrier, ir.getVoidTy());
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setConvergent();
    function->setDoesNotThrow();
    ir.CreateCall(callee)->setConvergent();
  }

  llvm::Function& item_;
  Geometry at_;
};

// Of a transfer of `size` bytes: what to move at a time.
class Transfer {
 public:
  explicit Transfer(llvm::MemIntrinsic& call)
      : call_(call), size_(llvm::cast<llvm::ConstantInt>(call.getLength())->getZExtValue()) {}

  void expand() {
    const std::uint64_t most = std::min<std::uint64_t>(8, alignment());
    const std::uint64_t pieces = size_ / most;
    if (pieces > tuning::kUnrolledPieces) {
      loop(most, pieces);
    } else {
      IRBuilder<> ir(&call_);
      for (std::uint64_t i = 0; i < pieces; ++i) piece(ir, most, ir.getInt64(i * most));
    }
    IRBuilder<> ir(&call_);
    for (std::uint64_t done = pieces * most; done < size_; ++done) piece(ir, 1, ir.getInt64(done));
    call_.eraseFromParent();
  }

 private:
  std::uint64_t alignment() const {
    std::uint64_t known = call_.getDestAlign().valueOrOne().value();
    if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&call_))
      known = std::min(known, copy->getSourceAlign().valueOrOne().value());
    return known;
  }

  void piece(IRBuilder<>& ir, std::uint64_t bytes, Value* offset) {
    auto* type = ir.getIntNTy(static_cast<unsigned>(bytes * 8));
    const llvm::Align align(bytes);
    Value* value = nullptr;
    if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&call_)) {
      value = ir.CreateAlignedLoad(type, ir.CreatePtrAdd(copy->getRawSource(), offset), align, copy->isVolatile());
    } else {
      Value* byte = ir.CreateZExt(llvm::cast<llvm::MemSetInst>(call_).getValue(), type);
      value = ir.CreateMul(byte, ir.getInt(llvm::APInt::getSplat(type->getBitWidth(), llvm::APInt(8, 1))));
    }
    ir.CreateAlignedStore(value, ir.CreatePtrAdd(call_.getRawDest(), offset), align, call_.isVolatile());
  }

  void loop(std::uint64_t bytes, std::uint64_t pieces) {
    llvm::BasicBlock* head = call_.getParent();
    llvm::BasicBlock* after = head->splitBasicBlock(&call_);
    auto* body = llvm::BasicBlock::Create(head->getContext(), "transfer", head->getParent(), after);
    head->getTerminator()->setSuccessor(0, body);
    IRBuilder<> ir(body);
    ir.SetCurrentDebugLocation(call_.getDebugLoc());
    llvm::PHINode* index = ir.CreatePHI(ir.getInt64Ty(), 2);
    index->addIncoming(ir.getInt64(0), head);
    piece(ir, bytes, index);
    Value* next = ir.CreateAdd(index, ir.getInt64(bytes), "", true, true);
    index->addIncoming(next, body);
    ir.CreateCondBr(ir.CreateICmpNE(next, ir.getInt64(bytes * pieces)), body, after);
  }

  llvm::MemIntrinsic& call_;
  std::uint64_t size_;
};

}  // namespace

domain::Status expand_own_builtins(llvm::Function& item, unsigned arguments) { return Expander(item, arguments).run(); }

domain::Status expand_transfers(llvm::Function& item) {
  llvm::SmallVector<llvm::MemIntrinsic*, 8> calls;
  for (llvm::Instruction& instruction : llvm::instructions(item))
    if (auto* call = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) calls.push_back(call);
  for (llvm::MemIntrinsic* call : calls) {
    if (!llvm::isa<llvm::ConstantInt>(call->getLength()))
      return domain::Error{0, "it moves memory of a size that is not known"};
    if (llvm::isa<llvm::MemMoveInst>(call)) return domain::Error{0, "it moves memory that overlaps"};
    Transfer(*call).expand();
  }
  return {};
}

}  // namespace skmd::codegen
