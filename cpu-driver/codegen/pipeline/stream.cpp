// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/stream.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>

#include "cpu-driver/codegen/pipeline/item.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

using llvm::Value;

constexpr std::uint64_t kLine = 64;

// What a pointer is taken from: the load of a kernel's argument, as far as it can be seen.
const Value* source_of(const Value* pointer) { return llvm::getUnderlyingObject(pointer, 0); }

llvm::SmallPtrSet<const Value*, 8> sources_read(llvm::Function& group) {
  llvm::SmallPtrSet<const Value*, 8> found;
  for (const llvm::Instruction& instruction : llvm::instructions(group)) {
    if (!instruction.mayReadFromMemory()) continue;
    for (const Value* operand : instruction.operand_values())
      if (operand->getType()->isPtrOrPtrVectorTy()) found.insert(source_of(operand));
  }
  return found;
}

bool is_streamed(const llvm::StoreInst& store, const llvm::LoopInfo& loops) {
  const llvm::Type* type = store.getValueOperand()->getType();
  const llvm::Loop* loop = loops.getLoopFor(store.getParent());
  // What does not move is written again at once.
  return store.isSimple() && type->isVectorTy() && store.getPointerAddressSpace() == kGlobalSpace &&
         store.getDataLayout().getTypeStoreSize(const_cast<llvm::Type*>(type)) == kLine && loop != nullptr &&
         !loop->isLoopInvariant(store.getPointerOperand());
}

// Whether the launch has more results than kStreamedBytes, if every item has `bytes`.
Value* is_large(llvm::Function& group, std::uint64_t bytes) {
  llvm::IRBuilder<> ir(&*group.getEntryBlock().getFirstInsertionPt());
  Value* items = nullptr;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t at = offsetof(cpu::SpanFrame, global_size) + d * sizeof(std::uint64_t);
    Value* size = ir.CreateLoad(ir.getInt64Ty(), ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), group.getArg(0), at));
    items = items == nullptr ? size : ir.CreateMul(items, size);
  }
  return ir.CreateICmpUGE(items, ir.getInt64(kStreamedBytes / bytes));
}

void stream(llvm::StoreInst& store, Value* large) {
  llvm::IRBuilder<> ir(&store);
  Value* place = ir.CreatePtrToInt(store.getPointerOperand(), ir.getInt64Ty());
  Value* whole_line = ir.CreateICmpEQ(ir.CreateAnd(place, kLine - 1), ir.getInt64(0));
  llvm::Instruction* past = nullptr;
  llvm::Instruction* through = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(ir.CreateAnd(large, whole_line), &store, &past, &through);
  auto* copy = llvm::cast<llvm::StoreInst>(store.clone());
  copy->insertBefore(past->getIterator());
  copy->setAlignment(llvm::Align(kLine));
  llvm::Metadata* one = llvm::ConstantAsMetadata::get(ir.getInt32(1));
  copy->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(store.getContext(), one));
  store.moveBefore(through->getIterator());
}

}  // namespace

unsigned stream_stores(llvm::Function& group) {
  const llvm::DominatorTree dominators(group);
  const llvm::LoopInfo loops(dominators);
  const auto read = sources_read(group);
  llvm::SmallVector<llvm::StoreInst*, 4> stores;
  for (llvm::Instruction& instruction : llvm::instructions(group)) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store != nullptr && is_streamed(*store, loops) && !read.contains(source_of(store->getPointerOperand())))
      stores.push_back(store);
  }
  for (llvm::StoreInst* store : stores) {
    const std::uint64_t bytes = store->getValueOperand()->getType()->getScalarSizeInBits() / 8;
    stream(*store, is_large(group, bytes));
  }
  if (stores.empty()) return 0;
  for (llvm::BasicBlock& block : group)
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator()))
      llvm::IRBuilder<>(block.getTerminator()).CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {});
  return static_cast<unsigned>(stores.size());
}

}  // namespace skmd::codegen
