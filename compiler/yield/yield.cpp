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
#include "compiler/yield/points.h"
#include "compiler/yield/resume.h"
#include "compiler/yield/schema.h"
#include "compiler/yield/state_code.h"
#include "compiler/yield/strips.h"
#include "cpu-driver/yield_facts.h"

namespace skmd::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::IRBuilder;

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

class Maker {
 public:
  Maker(Function& kernel, Yields loops, llvm::FunctionAnalysisManager& analyses)
      : kernel_(kernel), uniformity_(kernel) {
    chosen_ = choose_points(kernel, loops, uniformity_, analyses);
    form_.together = chosen_.together;
    form_.why_not = chosen_.why_not;
    form_.detail = chosen_.detail;
  }

  YieldForm run() {
    if (!form_.why_not.empty()) return std::move(form_);
    make_entry();
    add_points();
    if (!lay_out_points()) return std::move(form_);
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

YieldForm make_yielding(Function*& kernel, Yields loops, llvm::FunctionAnalysisManager& analyses) {
  YieldForm form;
  if (!kernel->use_empty()) {
    form.why_not = "no_form_here";
    form.detail = "other code refers to it";
    return form;
  }
  Function* made = with_parameters(*kernel);
  make_canonical(*made, analyses);
  form = Maker(*made, loops, analyses).run();
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
