// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/device_form.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "compiler/client/stoppable.h"
#include "compiler/ir/address_spaces.h"
#include "compiler/ir/builtin.h"
#include "compiler/yield/launch_geometry.h"
#include "compiler/yield/local_memory.h"
#include "compiler/yield/rematerialize.h"
#include "compiler/yield/strips.h"
#include "cpu-driver/yield_facts.h"

namespace skmd::compiler {

namespace {

using llvm::Function;
using llvm::IRBuilder;
using llvm::Value;

class Maker {
 public:
  Maker(Function& kernel, const YieldForm& form, Quantum quantum)
      : kernel_(kernel), form_(form), places_(form.places), quantum_(quantum), memory_(kernel) {}

  domain::Result<DeviceForm> run() {
    if (domain::Status status = find(); !status) return status.error();
    begin_ = &*llvm::find_if(kernel_.getEntryBlock(), [](const llvm::Instruction& instruction) {
      return !llvm::isa<llvm::AllocaInst>(instruction);
    });
    make_group();
    answer_queries();
    replace_looks();
    tell_ends();
    for (llvm::ReturnInst* leave : places_.saves) keep(*leave);
    if (form_.together) {
      begin_together();
    } else {
      begin_alone();
    }
    rematerialize({parameter(2), parameter(1), states_, stages_, places_.linear, places_.items});
    if (fuel_ != nullptr) {
      llvm::DominatorTree dominators(kernel_);
      llvm::PromoteMemToReg({fuel_}, dominators);
    }
    if (llvm::verifyFunction(kernel_)) return domain::Error{0, "the changed code is not well-formed"};
    return DeviceForm{memory_.variable_bytes(), memory_.parameters()};
  }

 private:
  [[nodiscard]] llvm::Argument* parameter(unsigned from_end) const {
    return kernel_.getArg(static_cast<unsigned>(kernel_.arg_size()) - from_end);
  }

  domain::Status find() {
    if (!form_.together && !memory_.empty()) return domain::Error{0, "items with local memory leave it one by one"};
    if (memory_.parameters() > control::kMaxLocals) return domain::Error{0, "it has too many local parameters"};
    for (llvm::User* user : parameter(1)->users()) {
      auto* look = llvm::dyn_cast<llvm::LoadInst>(user);
      if (look == nullptr) return domain::Error{0, "its control word is used in a way that is not known"};
      looks_.push_back(look);
    }
    for (llvm::Instruction& instruction : llvm::instructions(kernel_)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      const Builtin builtin = builtin_of(*call);
      if (is_of_launch(builtin.name)) queries_.push_back(call);
      if (form_.together && (builtin.name == "barrier" || builtin.name == "work_group_barrier")) order_local(*call);
      // Span code keeps variables of its own for them, behind the kernel's.
      if (builtin.name.starts_with("work_group_") && builtin.name != "work_group_barrier")
        return domain::Error{0, "it calls " + builtin.name.str()};
    }
    return {};
  }

  // What the item that looks says, and local memory that is kept, are read by other items behind the program's
  // barriers.
  static void order_local(llvm::CallBase& barrier) {
    IRBuilder<> ir(&barrier);
    Value* flags = barrier.getArgOperand(0);
    barrier.setArgOperand(0, ir.CreateOr(flags, llvm::ConstantInt::get(flags->getType(), kLocalFence)));
  }

  Value* word(IRBuilder<>& ir, std::uint32_t index) const {
    Value* place = ir.CreateConstInBoundsGEP1_64(ir.getInt32Ty(), parameter(1), index);
    return ir.CreateAlignedLoad(ir.getInt32Ty(), place, llvm::Align(4));
  }
  Value* wide(IRBuilder<>& ir, Value* value) const { return ir.CreateZExt(value, ir.getInt64Ty()); }

  // The group's number and its state.
  void make_group() {
    IRBuilder<> ir(begin_);
    Value* slot = query_builtin(ir, "_Z12get_group_idj", 0);
    Value* place = ir.CreateAdd(slot, ir.getInt64(control::kGroups));
    Value* number = ir.CreateAlignedLoad(ir.getInt32Ty(), ir.CreateInBoundsGEP(ir.getInt32Ty(), parameter(1), place),
                                         llvm::Align(4));
    Value* words = wide(ir, word(ir, control::kStateWords));
    states_ = ir.CreateInBoundsGEP(ir.getInt32Ty(), parameter(2), ir.CreateMul(slot, words), "state");
    parameter(2)->replaceUsesWithIf(states_, [this](const llvm::Use& use) { return use.getUser() != states_; });
    geometry_ = geometry_of_group(
        ir, number, {control::kWorkDim, control::kGroupCounts, control::kOffsets},
        [&](std::uint32_t index) { return word(ir, index); },
        [&](llvm::StringRef name, unsigned dimension) { return query_builtin(ir, name, dimension); });
    Value* list = ir.CreateAdd(query_builtin(ir, "_Z14get_num_groupsj", 0), ir.getInt64(control::kGroups));
    Value* stages = ir.CreateAdd(list, ir.CreateMul(slot, ir.getInt64(control::kStages)));
    stages_ = ir.CreateInBoundsGEP(ir.getInt32Ty(), parameter(1), stages, "stages");
    if (quantum_ == Quantum::fuel) {
      fuel_ = new llvm::AllocaInst(ir.getInt32Ty(), 0, "fuel", kernel_.getEntryBlock().begin());
      ir.CreateStore(word(ir, control::kFuel), fuel_);
    }
  }

  // Results are i64, but for get_work_dim and where programs were compiled with another size_t.
  void answer_queries() {
    for (llvm::CallBase* call : queries_) {
      IRBuilder<> ir(call);
      Value* dimension = call->arg_empty() ? nullptr : call->getArgOperand(0);
      Value* answer = geometry_.answer(ir, builtin_of(*call).name, dimension);
      call->replaceAllUsesWith(ir.CreateZExtOrTrunc(answer, call->getType()));
      call->eraseFromParent();
    }
  }

  // i32, not 0: the group, or the item, is to leave.
  Value* over(IRBuilder<>& ir) const {
    if (quantum_ == Quantum::fuel) {
      Value* less = ir.CreateSub(ir.CreateLoad(ir.getInt32Ty(), fuel_), ir.getInt32(1));
      ir.CreateStore(less, fuel_);
      return ir.CreateZExt(ir.CreateICmpEQ(less, ir.getInt32(0)), ir.getInt32Ty());
    }
    llvm::FunctionCallee callee =
        kernel_.getParent()->getOrInsertFunction(kOver, ir.getInt32Ty(), parameter(1)->getType());
    llvm::cast<Function>(callee.getCallee())->setDoesNotThrow();
    return ir.CreateCall(callee, {parameter(1)});
  }

  void replace_looks() {
    for (llvm::LoadInst* look : looks_) {
      // Which kept the load where it is.
      if (auto* fence = llvm::dyn_cast_or_null<llvm::FenceInst>(look->getPrevNode())) fence->eraseFromParent();
      IRBuilder<> ir(look);
      look->replaceAllUsesWith(over(ir));
      look->eraseFromParent();
    }
  }

  void set_stage(IRBuilder<>& ir, std::uint32_t stage, Value* value) const {
    ir.CreateAlignedStore(value, ir.CreateConstInBoundsGEP1_64(ir.getInt32Ty(), stages_, stage), llvm::Align(4));
  }

  // Where the group did not end, in this launch.
  void tell_left(IRBuilder<>& ir, std::uint32_t stage) const {
    ir.CreateAlignedStore(ir.getInt32(1), parameter(1), llvm::Align(4));
    set_stage(ir, stage, word(ir, control::kRun));
  }

  // Groups whose items leave one by one may have some that have ended and others that have not begun.
  void tell_ends() const {
    if (form_.together) return;
    for (llvm::BasicBlock& block : kernel_)
      if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
          end != nullptr && !llvm::is_contained(places_.saves, end)) {
        IRBuilder<> ir(end);
        set_stage(ir, control::kAnyEnded, ir.getInt32(1));
      }
  }

  void copy_memory(llvm::Instruction& before, bool save) const {
    IRBuilder<> ir(&before);
    Value* words =
        ir.CreateAdd(ir.CreateMul(places_.items, ir.getInt64(form_.item_words)), ir.getInt64(form_.group_words));
    memory_.copy(before, *ir.CreateInBoundsGEP(ir.getInt32Ty(), states_, words),
                 {places_.linear, places_.items, parameter(1)}, save);
  }

  void keep(llvm::ReturnInst& leave) const {
    if (!memory_.empty()) copy_memory(leave, true);
    IRBuilder<> ir(&leave);
    tell_left(ir, control::kSavedIn);
  }

  // Adds a return in front of `before` where `leaves` holds.
  void leave_if(Value* leaves, llvm::Instruction& before) const {
    llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(leaves, before.getIterator(), true);
    IRBuilder<> ir(then);
    tell_left(ir, control::kFreshIn);
    ir.CreateRetVoid();
    then->eraseFromParent();
  }

  // Groups that have not begun do not once the quantum is over.
  void begin_alone() const {
    if (quantum_ == Quantum::fuel) return;
    llvm::Instruction& next = *places_.point->getNextNode();
    llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(is_fresh(next), next.getIterator(), false);
    IRBuilder<> ir(then);
    leave_if(ir.CreateICmpNE(over(ir), ir.getInt32(0)), *then);
  }

  Value* is_fresh(llvm::Instruction& before) const {
    IRBuilder<> ir(&before);
    return ir.CreateICmpEQ(places_.point, ir.getInt32(0));
  }

  // All items read where they go on before one of them marks the group as ended, which it is unless it is saved again.
  // The launch before wrote that into the second word.
  void begin_together() {
    llvm::Instruction& next = *places_.point->getNextNode();
    IRBuilder<> ir(&next);
    Value* written = ir.CreateConstInBoundsGEP1_64(ir.getInt32Ty(), states_, cpu::kGroupPoints - 1);
    places_.point->setOperand(llvm::LoadInst::getPointerOperandIndex(), written);
    // In front of the load.
    auto* place = llvm::cast<llvm::Instruction>(written);
    place->moveBefore(places_.point->getIterator());
    Value* first = ir.CreateICmpEQ(places_.linear, ir.getInt64(0));
    llvm::GlobalVariable* flag = nullptr;
    if (quantum_ == Quantum::clock) {
      flag = new llvm::GlobalVariable(*kernel_.getParent(), ir.getInt32Ty(), false, llvm::GlobalValue::InternalLinkage,
                                      llvm::UndefValue::get(ir.getInt32Ty()), kernel_.getName() + ".skmd_begin",
                                      nullptr, llvm::GlobalValue::NotThreadLocal, kLocalSpace);
      flag->setAlignment(llvm::Align(4));
      llvm::Instruction* ask = llvm::SplitBlockAndInsertIfThen(first, next.getIterator(), false);
      IRBuilder<> at(ask);
      at.CreateAlignedStore(over(at), flag, llvm::Align(4));
    }
    ir.SetInsertPoint(&next);
    add_barrier(ir, kLocalFence | kGlobalFence);  // points are in global memory
    if (flag != nullptr) {
      Value* late = ir.CreateICmpNE(ir.CreateAlignedLoad(ir.getInt32Ty(), flag, llvm::Align(4)), ir.getInt32(0));
      leave_if(ir.CreateAnd(is_fresh(next), late), next);
    }
    llvm::Instruction* mark = llvm::SplitBlockAndInsertIfThen(first, next.getIterator(), false);
    ir.SetInsertPoint(mark);
    ir.CreateAlignedStore(ir.getInt32(cpu::kPointDone), written, llvm::Align(4));
    if (!memory_.empty()) take_up_memory(next);
  }

  void take_up_memory(llvm::Instruction& before) const {
    IRBuilder<> ir(&before);
    // Neither 0 nor kPointDone.
    Value* inside = ir.CreateICmpULT(ir.CreateSub(places_.point, ir.getInt32(1)),
                                     ir.getInt32(static_cast<std::uint32_t>(form_.points.size())));
    llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(inside, before.getIterator(), false);
    copy_memory(*then, false);
    ir.SetInsertPoint(then);
    add_barrier(ir);
  }

  Function& kernel_;
  const YieldForm& form_;
  const YieldPlaces& places_;
  const Quantum quantum_;
  const LocalMemory memory_;
  std::vector<llvm::LoadInst*> looks_;
  std::vector<llvm::CallBase*> queries_;
  llvm::Instruction* begin_ = nullptr;
  Value* states_ = nullptr;  // of this group
  Value* stages_ = nullptr;  // likewise
  llvm::AllocaInst* fuel_ = nullptr;
  Geometry geometry_;
};

}  // namespace

domain::Result<DeviceForm> make_device_form(Function& kernel, const YieldForm& form, Quantum quantum) {
  return Maker(kernel, form, quantum).run();
}

}  // namespace skmd::compiler
