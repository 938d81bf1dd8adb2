// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/trap_form.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>

#include "compiler/client/trapping.h"
#include "compiler/ir/builtin.h"
#include "compiler/ir/guard_divisions.h"
#include "compiler/yield/launch_geometry.h"
#include "compiler/yield/trap_points.h"
#include "compiler/yield/trap_words.h"

namespace skmd::compiler {

namespace {

using llvm::Function;
using llvm::IRBuilder;
using llvm::Value;

/// i32(): the group's flattened number in the launch, until make_trap_form().
constexpr llvm::StringLiteral kTrapGroup = "skmd.trap.group";

class Maker {
 public:
  explicit Maker(Function& kernel) : kernel_(kernel) {
    begin_ = &*llvm::find_if(kernel.getEntryBlock(), [](const llvm::Instruction& instruction) {
      return !llvm::isa<llvm::AllocaInst>(instruction);
    });
  }

  void run() {
    std::vector<llvm::BasicBlock*> blocks;
    for (llvm::BasicBlock& block : kernel_) blocks.push_back(&block);
    // Of what is left of them, the divisor may still be -1.
    guard_divisions(blocks);
    make_geometry();
    llvm::SmallVector<llvm::CallBase*, 16> calls;
    for (llvm::Instruction& instruction : llvm::instructions(kernel_))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction); call != nullptr && !made_.contains(call))
        calls.push_back(call);
    for (llvm::CallBase* call : calls) replace(*call);
  }

 private:
  [[nodiscard]] llvm::Argument* control() const {
    return kernel_.getArg(static_cast<unsigned>(kernel_.arg_size()) - 1);
  }

  Value* native(IRBuilder<>& ir, llvm::StringRef name, unsigned dimension) {
    Value* call = query_builtin(ir, name, dimension);
    made_.insert(call);
    return call;
  }

  void make_geometry() {
    IRBuilder<> ir(begin_);
    group_ = trap_group(ir, *control(),
                        [&](llvm::StringRef name, unsigned dimension) { return native(ir, name, dimension); });
  }

  void replace(llvm::CallBase& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr) return;
    IRBuilder<> ir(&call);
    Value* answer = nullptr;
    if (callee->getName() == kTrapBound) {
      answer = bound(ir, *llvm::cast<llvm::ConstantInt>(call.getArgOperand(0)), *call.getArgOperand(1));
    } else if (callee->getName() == kTrapGroup) {
      answer = group_.number;
    } else if (const llvm::StringRef name = builtin_of(call).name; is_of_launch(name)) {
      Value* dimension = call.arg_empty() ? nullptr : call.getArgOperand(0);
      answer = ir.CreateZExtOrTrunc(group_.geometry.answer(ir, name, dimension), call.getType());
    } else {
      return;
    }
    call.replaceAllUsesWith(answer);
    call.eraseFromParent();
  }

  Value* bound(IRBuilder<>& ir, const llvm::ConstantInt& argument, Value& bytes) const {
    const auto index = static_cast<std::uint32_t>(argument.getZExtValue());
    Value* size = wide_trap_word(ir, *control(), trap_control::kSizes + 2 * index);
    Value* behind = ir.CreateAdd(ir.CreateSub(size, &bytes), ir.getInt64(1));
    return ir.CreateSelect(ir.CreateICmpULT(size, &bytes), ir.getInt64(0), behind);
  }

  Function& kernel_;
  llvm::Instruction* begin_ = nullptr;
  TrapGroup group_;
  llvm::SmallPtrSet<Value*, 16> made_;
};

}  // namespace

Value* take_record(IRBuilder<>& ir, Function& kernel, const ItemIds& ids, unsigned words) {
  llvm::Module& module = *kernel.getParent();
  llvm::Argument* records = kernel.getArg(static_cast<unsigned>(kernel.arg_size()) - 2);
  llvm::Argument* control = kernel.getArg(static_cast<unsigned>(kernel.arg_size()) - 1);
  Value* number = ir.CreateAtomicRMW(llvm::AtomicRMWInst::Add, control, ir.getInt32(1), llvm::Align(4),
                                     llvm::AtomicOrdering::Monotonic);
  Value* place = ir.CreateMul(ir.CreateZExt(number, ir.getInt64Ty()), ir.getInt64(kRecordState + words));
  Value* record = ir.CreateInBoundsGEP(ir.getInt32Ty(), records, place, "record");
  const auto put = [&](std::uint32_t index, Value* value) {
    ir.CreateAlignedStore(value, ir.CreateConstInBoundsGEP1_64(ir.getInt32Ty(), record, index), llvm::Align(4));
  };
  put(kRecordGroup, ir.CreateCall(module.getOrInsertFunction(kTrapGroup, ir.getInt32Ty())));
  put(kRecordItem, ir.CreateTrunc(ids.linear, ir.getInt32Ty()));
  return ir.CreateConstInBoundsGEP1_64(ir.getInt32Ty(), record, kRecordState);
}

domain::Status make_trap_form(Function& kernel) {
  Maker(kernel).run();
  if (llvm::verifyFunction(kernel)) return domain::Error{0, "no_form_here: the changed code is not well-formed"};
  return {};
}

}  // namespace skmd::compiler
