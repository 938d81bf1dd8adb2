// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/yield.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>

#include "compiler/ir/address_spaces.h"
#include "compiler/yield/canonical.h"
#include "compiler/yield/hoist.h"
#include "compiler/yield/live.h"
#include "compiler/yield/local_memory.h"
#include "compiler/yield/points.h"
#include "compiler/yield/resume.h"
#include "compiler/yield/schema.h"
#include "compiler/yield/state_code.h"
#include "compiler/yield/strips.h"
#include "compiler/yield/trap_form.h"
#include "compiler/yield/trap_points.h"
#include "cpu-driver/yield_facts.h"

namespace skmd::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::IRBuilder;
using llvm::Value;

// A copy with two more parameters. Its uniformity and loops are its own.
Function* with_parameters(Function& kernel) {
  llvm::LLVMContext& context = kernel.getContext();
  llvm::SmallVector<llvm::Type*, 16> types(kernel.getFunctionType()->params());
  types.append(2, llvm::PointerType::get(context, kGlobalSpace));
  Function* made = Function::Create(llvm::FunctionType::get(kernel.getReturnType(), types, false), kernel.getLinkage(),
                                    kernel.getName() + ".yielding", *kernel.getParent());
  llvm::ValueToValueMapTy map;
  for (llvm::Argument& argument : kernel.args()) {
    made->getArg(argument.getArgNo())->setName(argument.getName());
    map[&argument] = made->getArg(argument.getArgNo());
  }
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  llvm::CloneFunctionInto(made, &kernel, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
  made->getArg(made->arg_size() - 2)->setName("skmd_state");
  made->getArg(made->arg_size() - 1)->setName("skmd_control");
  return made;
}

// Words at whole places: they are copied one by one.
llvm::AllocaInst* in_words(llvm::AllocaInst& variable) {
  const std::uint64_t bytes = variable.getAllocationSize(variable.getModule()->getDataLayout())->getFixedValue();
  variable.setAlignment(std::max(variable.getAlign(), llvm::Align(4)));
  if (bytes % 4 == 0) return &variable;
  IRBuilder<> ir(&variable);
  llvm::AllocaInst* made = ir.CreateAlloca(llvm::ArrayType::get(ir.getInt32Ty(), (bytes + 3) / 4), nullptr);
  made->setAlignment(variable.getAlign());
  made->takeName(&variable);
  variable.replaceAllUsesWith(made);
  variable.eraseFromParent();
  return made;
}

// A place outside of its memory is computed like any other, until it is accessed.
void allow_any_place(Function& kernel) {
  for (llvm::Instruction& instruction : llvm::instructions(kernel))
    if (auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) place->dropPoisonGeneratingFlags();
}

class Maker {
 public:
  Maker(Function& kernel, Yields loops, llvm::FunctionAnalysisManager& analyses, Entries entries)
      : kernel_(kernel), analyses_(analyses), entries_(entries), uniformity_(kernel) {
    form_.traps = loops == Yields::traps;
    if (form_.traps) return;
    chosen_ = choose_points(kernel, loops, uniformity_, analyses);
    form_.together = chosen_.together;
    form_.why_not = chosen_.why_not;
    form_.detail = chosen_.detail;
  }

  YieldForm run() {
    if (!form_.why_not.empty()) return std::move(form_);
    make_entry();
    if (form_.traps) {
      if (!add_trap_points()) return std::move(form_);
    } else {
      add_points();
    }
    if (!lay_out_points()) return std::move(form_);
    if (form_.traps && entries_ == Entries::none) {
      add_records();
      drop_turn();
      return std::move(form_);
    }
    if (form_.traps)
      stay();
    else
      add_saving();
    const StateCode state = state_code();
    if (!form_.together) store_ends(state);
    form_.places.point = Resumption(kernel_, *entry_, state, std::move(points_)).run();
    // Last: where an item goes on, its first check uses the first word.
    drop_turn();
    note_places();
    return std::move(form_);
  }

 private:
  [[nodiscard]] StateCode state_code() const {
    return {*kernel_.getArg(static_cast<unsigned>(kernel_.arg_size()) - 2), ids_, form_.group_words, form_.together};
  }

  // Variables and what is computed at every entry, in front of the kernel's own code.
  void make_entry() {
    BasicBlock* body = &kernel_.getEntryBlock();
    entry_ = BasicBlock::Create(kernel_.getContext(), "entries", &kernel_, body);
    llvm::Instruction* end = IRBuilder<>(entry_).CreateBr(body);
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(*body))
      if (llvm::isa<llvm::AllocaInst>(instruction)) instruction.moveBefore(end->getIterator());
    IRBuilder<> ir(end);
    turn_ = ir.CreateAlloca(ir.getInt32Ty(), nullptr, "turn");
    ir.CreateStore(ir.getInt32(0), turn_);
    ids_ = make_ids(end);
  }

  void add_points() {
    // Edges of their own, which code that is added elsewhere does not move.
    for (ChosenLoop& loop : chosen_.loops) {
      loop.before = llvm::SplitEdge(loop.before, loop.header);
      loop.latch = llvm::SplitEdge(loop.latch, loop.header);
    }
    StripMaker strips(kernel_, uniformity_, ids_, *turn_, form_.together);
    for (const ChosenLoop& loop : chosen_.loops) {
      points_.push_back({strips.add(loop), {}});
      form_.points.push_back({loop.place, loop.strip, loop.barrier != nullptr, {}, 0, 0});
    }
  }

  // Where nothing is to leave, there are no points.
  bool add_trap_points() {
    TrapPoints traps = add_trap_tests(kernel_, *entry_, analyses_);
    form_.only_buffers = traps.only_buffers;
    form_.why_not = std::move(traps.why_not);
    form_.detail = std::move(traps.detail);
    if (form_.why_not.empty() && !LocalMemory(kernel_).empty()) {
      form_.why_not = "no_form_here";
      form_.detail = "items that leave it share local memory with others";
    }
    if (!form_.why_not.empty()) return false;
    for (TrapPoint& trap : traps.points) {
      BasicBlock* before = trap.before->getParent();
      BasicBlock* go_on = llvm::SplitBlock(before, trap.before);
      BasicBlock* save = BasicBlock::Create(kernel_.getContext(), "leave", &kernel_);
      IRBuilder<>(save).CreateRetVoid();
      before->getTerminator()->eraseFromParent();
      IRBuilder<>(before).CreateCondBr(trap.leaves, save, go_on);
      points_.push_back({{save, go_on, nullptr}, {}});
      form_.points.push_back({trap.place.empty() ? "an unknown line" : std::move(trap.place), 1, false, {}, 0, 0});
    }
    return true;
  }

  // Each item that leaves has a record of its own.
  void add_records() {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      IRBuilder<> ir(points_[i].blocks.save->getTerminator());
      Value* record = take_record(ir, kernel_, ids_, form_.item_words);
      const StateCode state(*record, {ir.getInt64(0), ir.getInt64(1)}, 0, false);
      for (const Kept& kept : points_[i].schema.kept) state.save(ir, kept);
      state.store_point(ir, ir.getInt32(static_cast<std::uint32_t>(i) + 1));
    }
  }

  // Nothing leaves here: what may trap has checks of its own.
  void stay() {
    for (const PointEntry& point : points_) {
      BasicBlock* before = point.blocks.save->getSinglePredecessor();
      before->getTerminator()->eraseFromParent();
      IRBuilder<>(before).CreateBr(point.blocks.go_on);
      point.blocks.save->eraseFromParent();
    }
    llvm::Function* bounds = kernel_.getParent()->getFunction(kTrapBound);
    if (bounds == nullptr) return;
    for (llvm::User* user : llvm::make_early_inc_range(bounds->users())) {
      auto* call = llvm::cast<llvm::Instruction>(user);
      if (call->getFunction() != &kernel_) continue;
      call->replaceAllUsesWith(llvm::Constant::getNullValue(call->getType()));
      call->eraseFromParent();
    }
  }

  bool lay_out_points() {
    hoist_all();
    const Liveness live(kernel_);
    std::vector<PointSchema> schemas;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      llvm::SmallVector<llvm::AllocaInst*, 8> variables;
      for (llvm::AllocaInst* variable : live.variables_at(*points_[i].blocks.go_on))
        if (variable != turn_) variables.push_back(in_words(*variable));
      auto schema = lay_out(live.values_at(*points_[i].blocks.go_on), variables, form_.together, uniformity_);
      if (!schema) {
        form_.why_not = schema.error().reason;
        form_.detail = "what is live in " + form_.points[i].place + " cannot be kept";
        return false;
      }
      note(form_.points[i], *schema);
      schemas.push_back(*schema);
      points_[i].schema = std::move(*schema);
    }
    form_.schema = schema_number(kernel_, schemas);
    return true;
  }

  void note(YieldPoint& point, const PointSchema& schema) {
    for (const Kept& kept : schema.kept) point.live.push_back(describe(kept));
    form_.item_words = std::max(form_.item_words, schema.item_words);
    form_.group_words = std::max(form_.group_words, schema.group_words);
    point.item_words = schema.item_words - (form_.together ? 0 : 1);
    point.group_words = schema.group_words - (form_.together ? cpu::kGroupPoints : 0);
  }

  void hoist_all() {
    const Liveness live(kernel_);
    for (const PointEntry& point : points_)
      for (llvm::Instruction* value : live.values_at(*point.blocks.go_on)) hoist(*value, *entry_->getTerminator());
  }

  void add_saving() {
    const StateCode state = state_code();
    for (std::size_t i = 0; i < points_.size(); ++i) {
      IRBuilder<> ir(points_[i].blocks.save->getTerminator());
      for (const Kept& kept : points_[i].schema.kept) state.save(ir, kept);
      state.store_point(ir, ir.getInt32(static_cast<std::uint32_t>(i) + 1));
      saves_.insert(ir.GetInsertBlock());
    }
  }

  // Where items end by themselves.
  void store_ends(const StateCode& state) {
    for (BasicBlock& block : kernel_)
      if (llvm::isa<llvm::ReturnInst>(block.getTerminator()) && !saves_.contains(&block)) {
        IRBuilder<> ir(block.getTerminator());
        state.store_point(ir, ir.getInt32(cpu::kPointDone));
      }
  }

  void note_places() {
    for (BasicBlock& block : kernel_)
      if (saves_.contains(&block)) form_.places.saves.push_back(llvm::cast<llvm::ReturnInst>(block.getTerminator()));
    form_.places.linear = ids_.linear;
    form_.places.items = ids_.items;
  }

  void drop_turn() {
    llvm::DominatorTree dominators(kernel_);
    llvm::PromoteMemToReg({turn_}, dominators);
  }

  Function& kernel_;
  llvm::FunctionAnalysisManager& analyses_;
  const Entries entries_;
  KernelUniformity uniformity_;
  ChosenPoints chosen_;
  YieldForm form_;
  BasicBlock* entry_ = nullptr;
  ItemIds ids_;
  llvm::AllocaInst* turn_ = nullptr;  // which of a group's two words the next check uses
  std::vector<PointEntry> points_;
  llvm::SmallPtrSet<const BasicBlock*, 16> saves_;
};

}  // namespace

YieldForm make_yielding(Function*& kernel, Yields loops, llvm::FunctionAnalysisManager& analyses, Entries entries) {
  YieldForm form;
  if (!kernel->use_empty()) {
    form.why_not = "no_form_here";
    form.detail = "other code refers to it";
    return form;
  }
  Function* made = with_parameters(*kernel);
  if (loops == Yields::traps) allow_any_place(*made);
  make_canonical(*made, analyses, loops == Yields::traps ? Useless::stays : Useless::goes);
  form = Maker(*made, loops, analyses, entries).run();
  analyses.clear(*made, made->getName());
  if (form.why_not.empty() && llvm::verifyFunction(*made)) {
    form.why_not = "no_form_here";
    form.detail = "the changed code is not well-formed";
  }
  if (!form.why_not.empty()) {
    made->eraseFromParent();
    return form;
  }
  analyses.clear(*kernel, kernel->getName());
  made->takeName(kernel);
  kernel->eraseFromParent();
  kernel = made;
  return form;
}

}  // namespace skmd::compiler
