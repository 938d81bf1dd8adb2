// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/trap_form.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "compiler/client/trapping.h"
#include "compiler/ir/builtin.h"
#include "compiler/ir/guard_divisions.h"
#include "compiler/yield/launch_geometry.h"
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

bool is_usual(const llvm::Type& type) {
  const unsigned bits = type.getScalarSizeInBits();
  return !type.isIntOrIntVectorTy() || bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

// Numbers that are cut to a width that OpenCL C does not have, and widened again.
void widen_cuts(Function& kernel) {
  llvm::SmallVector<llvm::TruncInst*, 8> cuts;
  for (llvm::Instruction& instruction : llvm::instructions(kernel))
    if (auto* cut = llvm::dyn_cast<llvm::TruncInst>(&instruction); cut != nullptr && !is_usual(*cut->getType()))
      cuts.push_back(cut);
  for (llvm::TruncInst* cut : cuts) {
    Value* number = cut->getOperand(0);
    const unsigned own = number->getType()->getScalarSizeInBits(), bits = cut->getType()->getScalarSizeInBits();
    for (llvm::User* user : llvm::make_early_inc_range(cut->users())) {
      auto* wide = llvm::dyn_cast<llvm::CastInst>(user);
      if (wide == nullptr || !llvm::isa<llvm::ZExtInst, llvm::SExtInst>(wide)) continue;
      IRBuilder<> ir(wide);
      Value* up = ir.CreateShl(number, own - bits);
      const bool is_signed = llvm::isa<llvm::SExtInst>(wide);
      Value* down = is_signed ? ir.CreateAShr(up, own - bits) : ir.CreateLShr(up, own - bits);
      wide->replaceAllUsesWith(is_signed ? ir.CreateSExtOrTrunc(down, wide->getType())
                                         : ir.CreateZExtOrTrunc(down, wide->getType()));
      wide->eraseFromParent();
    }
    if (cut->use_empty()) cut->eraseFromParent();
  }
}

// Also without code behind places that the device never goes on from. Nothing that makes numbers of widths that OpenCL
// C does not have.
void tidy(Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  const auto tidy_cfg =
      llvm::SimplifyCFGOptions().sinkCommonInsts(false).hoistCommonInsts(false).convertSwitchToLookupTable(false);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SimplifyCFGPass(tidy_cfg));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::ADCEPass());
  passes.run(kernel, analyses);
  analyses.clear(kernel, kernel.getName());
}

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
  widen_cuts(kernel);
  if (llvm::verifyFunction(kernel)) return domain::Error{0, "no_form_here: the changed code is not well-formed"};
  tidy(kernel, analyses);
  return {};
}

}  // namespace skmd::compiler
