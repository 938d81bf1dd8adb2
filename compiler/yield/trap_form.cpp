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
#include "compiler/yield/tidy_text.h"
#include "compiler/yield/trap_points.h"

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

  Value* word(IRBuilder<>& ir, std::uint32_t index) const {
    Value* place = ir.CreateConstInBoundsGEP1_64(ir.getInt32Ty(), control(), index);
    auto* load = ir.CreateAlignedLoad(ir.getInt32Ty(), place, llvm::Align(4));
    // But for the count of records, which nothing here reads, nothing changes it.
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(kernel_.getContext(), {}));
    return load;
  }
  static Value* wide(IRBuilder<>& ir, Value* value) { return ir.CreateZExt(value, ir.getInt64Ty()); }
  Value* wide_word(IRBuilder<>& ir, std::uint32_t index) const {
    return ir.CreateOr(wide(ir, word(ir, index)), ir.CreateShl(wide(ir, word(ir, index + 1)), 32));
  }
  Value* native(IRBuilder<>& ir, llvm::StringRef name, unsigned dimension) {
    Value* call = query_builtin(ir, name, dimension);
    made_.insert(call);
    return call;
  }

  void make_geometry() {
    IRBuilder<> ir(begin_);
    Value* slot = ir.CreateTrunc(native(ir, "_Z12get_group_idj", 0), ir.getInt32Ty());
    number_ = ir.CreateAdd(word(ir, trap_control::kFirst), slot);
    geometry_ = geometry_of_group(
        ir, number_, {trap_control::kWorkDim, trap_control::kGroupCounts, trap_control::kOffsets},
        [&](std::uint32_t index) { return word(ir, index); },
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
      answer = number_;
    } else if (const llvm::StringRef name = builtin_of(call).name; is_of_launch(name)) {
      Value* dimension = call.arg_empty() ? nullptr : call.getArgOperand(0);
      answer = ir.CreateZExtOrTrunc(geometry_.answer(ir, name, dimension), call.getType());
    } else {
      return;
    }
    call.replaceAllUsesWith(answer);
    call.eraseFromParent();
  }

  Value* bound(IRBuilder<>& ir, const llvm::ConstantInt& argument, Value& bytes) const {
    const auto index = static_cast<std::uint32_t>(argument.getZExtValue());
    Value* size = wide_word(ir, trap_control::kSizes + 2 * index);
    Value* behind = ir.CreateAdd(ir.CreateSub(size, &bytes), ir.getInt64(1));
    return ir.CreateSelect(ir.CreateICmpULT(size, &bytes), ir.getInt64(0), behind);
  }

  Function& kernel_;
  llvm::Instruction* begin_ = nullptr;
  Geometry geometry_;
  Value* number_ = nullptr;  // of the group, i32
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

domain::Status make_trap_form(Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  Maker(kernel).run();
  if (llvm::verifyFunction(kernel)) return domain::Error{0, "no_form_here: the changed code is not well-formed"};
  tidy_text(kernel, analyses);
  return {};
}

}  // namespace skmd::compiler
