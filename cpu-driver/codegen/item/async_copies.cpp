// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/item/async_copies.h"

#include <llvm/IR/IRBuilder.h>

#include "compiler/ir/address_spaces.h"

namespace skmd::codegen {

namespace {

using llvm::IRBuilder;
using llvm::Value;

// What happens for one index; the loop over them starts at the item's place in the group and goes by its size.
struct Copy {
  Value* to = nullptr;
  Value* from = nullptr;
  Value* to_stride = nullptr;  // in bytes
  Value* from_stride = nullptr;
  llvm::Type* type = nullptr;
  std::uint64_t align = 1;

  void one(IRBuilder<>& ir, Value* index) const {
    Value* value =
        ir.CreateAlignedLoad(type, ir.CreatePtrAdd(from, ir.CreateMul(index, from_stride)), llvm::Align(align));
    ir.CreateAlignedStore(value, ir.CreatePtrAdd(to, ir.CreateMul(index, to_stride)), llvm::Align(align));
  }
};

void loop(llvm::CallInst& call, const Copy& copy, Value* begin, Value* end, Value* step) {
  llvm::BasicBlock* head = call.getParent();
  llvm::BasicBlock* after = head->splitBasicBlock(&call);
  auto* body = llvm::BasicBlock::Create(head->getContext(), "copy", head->getParent(), after);
  head->getTerminator()->eraseFromParent();
  IRBuilder<> ir(head);
  ir.SetCurrentDebugLocation(call.getDebugLoc());
  ir.CreateCondBr(ir.CreateICmpULT(begin, end), body, after);
  ir.SetInsertPoint(body);
  llvm::PHINode* index = ir.CreatePHI(ir.getInt64Ty(), 2);
  index->addIncoming(begin, head);
  copy.one(ir, index);
  Value* next = ir.CreateAdd(index, step);
  index->addIncoming(next, body);
  ir.CreateCondBr(ir.CreateICmpULT(next, end), body, after);
}

}  // namespace

bool is_async_copy(llvm::StringRef name) {
  return name == "async_work_group_copy" || name == "async_work_group_strided_copy";
}

domain::Status expand_async_copy(llvm::CallInst& call, const compiler::Builtin& builtin, const compiler::Geometry& at) {
  const bool strided = builtin.name == "async_work_group_strided_copy";
  const std::uint64_t bytes = compiler::pointee_bytes(builtin.parameters);
  const unsigned element = compiler::pointee_element_bytes(builtin.parameters);
  if (bytes == 0 || call.arg_size() != (strided ? 5u : 4u))
    return domain::Error{0, "it copies asynchronously in an unknown way"};
  IRBuilder<> ir(&call);
  Copy copy;
  copy.to = call.getArgOperand(0);
  copy.from = call.getArgOperand(1);
  copy.to_stride = copy.from_stride = ir.getInt64(bytes);
  copy.type = ir.getIntNTy(element * 8);
  if (bytes != element) copy.type = llvm::FixedVectorType::get(copy.type, static_cast<unsigned>(bytes / element));
  copy.align = bytes;
  if (strided) {
    // The stride is that of the global side.
    Value* stride = ir.CreateMul(ir.CreateZExtOrTrunc(call.getArgOperand(3), ir.getInt64Ty()), ir.getInt64(bytes));
    (copy.to->getType()->getPointerAddressSpace() == kLocalSpace ? copy.from_stride : copy.to_stride) = stride;
  }
  Value* items = ir.CreateMul(ir.CreateMul(at.local[0], at.local[1]), at.local[2]);
  Value* begin = at.answer(ir, "get_local_linear_id", nullptr);
  Value* count = ir.CreateZExtOrTrunc(call.getArgOperand(2), ir.getInt64Ty());
  call.replaceAllUsesWith(llvm::Constant::getNullValue(call.getType()));
  loop(call, copy, begin, count, items);
  call.eraseFromParent();
  return {};
}

}  // namespace skmd::codegen
