// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/widener.h"

#include <llvm/ADT/PostOrderIterator.h>

#include <optional>

namespace skmd::codegen {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Type;
using llvm::Value;

Widener::Widener(llvm::Function& source, llvm::Function& target, const Shapes& shapes, const PrivateLayout& layout,
                 const llvm::DominatorTree& dominators, const WidenOptions& options)
    : source_(source),
      target_(target),
      layout_(layout),
      full_(options.full),
      groups_(source, shapes, layout, options.width),
      updates_(source, shapes, groups_),
      prologue_(*BasicBlock::Create(target.getContext(), "prologue", &target)),
      builder_(target.getContext(), llvm::TargetFolder(target.getDataLayout())),
      values_(shapes, options.width, builder_, prologue_),
      storage_(prologue_, options.width),
      facts_(shapes, layout, dominators, options.width),
      remarks_(options.remarks),
      operation_widener_(builder_, values_, layout),
      gather_widener_(builder_, values_, storage_, facts_, remarks_, options.isa, options.apart),
      memory_widener_(builder_, values_, storage_, facts_, gather_widener_),
      group_widener_(builder_, values_, facts_, gather_widener_, remarks_, options.full),
      update_widener_(builder_, values_, storage_, facts_, remarks_),
      call_widener_(*target.getParent(), builder_, values_, storage_, remarks_, options.vector_form, options.isa) {}

void Widener::make_parameters() {
  llvm::Argument* live = argument_with(source_, kLive);
  for (llvm::Argument& argument : source_.args()) {
    if (argument.hasAttribute(kLive)) continue;
    llvm::Argument* made = target_.getArg(argument.getArgNo());
    made->setName(argument.getName());
    values_.set_scalar(argument, made);
  }
  if (live == nullptr || full_) return;
  llvm::Argument* lanes = target_.getArg(live->getArgNo());
  lanes->setName("live");
  values_.set_vector(*live, lanes);
}

domain::Status Widener::run() {
  make_parameters();
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&source_);
  for (BasicBlock* source : order)
    first_[source] = BasicBlock::Create(target_.getContext(), source->getName(), &target_);
  for (BasicBlock* source : order)
    if (domain::Status status = block(*source); !status) return status;
  fill_phis();
  builder_.SetInsertPoint(&prologue_);
  builder_.SetCurrentDebugLocation({});
  builder_.CreateBr(first_[&source_.getEntryBlock()]);
  return call_widener_.inline_bodies();
}

domain::Status Widener::block(BasicBlock& source) {
  builder_.SetInsertPoint(first_[&source]);
  for (Instruction& each : source) {
    builder_.SetCurrentDebugLocation(each.getDebugLoc());
    if (domain::Status status = each.isTerminator() ? terminator(each) : instruction(each); !status) return status;
  }
  last_[&source] = builder_.GetInsertBlock();
  return {};
}

// What is made where another instruction of its update or of its group is.
bool Widener::done_elsewhere(const Instruction& source) const {
  const AccessGroup* group = groups_.of(&source);
  return updates_.inside(source) || (group != nullptr && group->place != &source);
}

domain::Status Widener::instruction(Instruction& source) {
  if (auto* node = llvm::dyn_cast<llvm::PHINode>(&source)) return phi(*node);
  if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&source)) {
    values_.set_scalar(source, storage_.variable(*variable, *layout_.variable(variable)));
    return {};
  }
  if (done_elsewhere(source)) return {};
  if (const Update* update = updates_.of(source)) {
    update_widener_.widen(*access(source), *update);
    return {};
  }
  if (const AccessGroup* group = groups_.of(&source)) {
    group_widener_.widen(*group);
    return {};
  }
  if (const std::optional<Access> found = access(source)) return memory_widener_.widen(*found);
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(&source)) return call_widener_.widen(*call);
  if (llvm::isa<llvm::FenceInst>(source)) {
    builder_.Insert(source.clone());
    return {};
  }
  if (source.mayReadOrWriteMemory()) return unsupported(source, "an access that is not simple");
  return operation_widener_.widen(source);
}

domain::Status Widener::phi(llvm::PHINode& source) {
  const bool one = has_scalar(source);
  Type* type = one ? source.getType() : lanes_of(source.getType(), values_.lanes());
  if (type == nullptr) return unsupported(source, "lanes of this type are not supported");
  llvm::PHINode* made = builder_.CreatePHI(type, source.getNumIncomingValues(), source.getName());
  one ? values_.set_scalar(source, made) : values_.set_vector(source, made);
  return {};
}

void Widener::fill_phis() {
  for (BasicBlock& source : source_) {
    for (llvm::PHINode& node : source.phis()) {
      const bool one = has_scalar(node);
      auto* made = llvm::cast<llvm::PHINode>(one ? values_.scalar(&node) : values_.vector(&node));
      for (unsigned at = 0; at < node.getNumIncomingValues(); ++at) {
        Value* value = node.getIncomingValue(at);
        made->addIncoming(one ? values_.scalar(value) : values_.vector(value), last_[node.getIncomingBlock(at)]);
      }
    }
  }
}

domain::Status Widener::terminator(Instruction& source) {
  if (auto* give = llvm::dyn_cast<llvm::ReturnInst>(&source)) {
    give_back(*give);
    return {};
  }
  if (llvm::isa<llvm::UnreachableInst>(source)) {
    builder_.CreateUnreachable();
    return {};
  }
  if (!llvm::isa<llvm::BranchInst>(source) && !llvm::isa<llvm::SwitchInst>(source))
    return unsupported(source, "not supported");
  Instruction* made = source.clone();
  for (llvm::Use& operand : made->operands()) {
    if (auto* block = llvm::dyn_cast<BasicBlock>(operand.get())) {
      operand.set(first_[block]);
      continue;
    }
    if (!values_.shape(operand.get()).uniform()) {
      made->deleteValue();
      return unsupported(source, "lanes disagree about where to go on");
    }
    operand.set(values_.scalar(operand.get()));
  }
  made->setDebugLoc(source.getDebugLoc());
  builder_.Insert(made);
  return {};
}

// Items that run agree about where to go on; one that does not exist has no say.
void Widener::give_back(llvm::ReturnInst& source) {
  Value* value = source.getReturnValue();
  if (value == nullptr) {
    builder_.CreateRetVoid();
    return;
  }
  if (values_.shape(value).uniform()) {
    builder_.CreateRet(values_.scalar(value));
    return;
  }
  Value* first = builder_.getInt32(0);
  if (llvm::Argument* live = argument_with(source_, kLive); live != nullptr && !full_) {
    Value* bits = mask_bits(builder_, values_.vector(live));
    Value* none = builder_.CreateICmpEQ(bits, builder_.getInt32(0));
    Value* lowest = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder_.getFalse());
    first = builder_.CreateSelect(none, builder_.getInt32(0), lowest);
  }
  builder_.CreateRet(builder_.CreateExtractElement(values_.vector(value), first));
}

}  // namespace skmd::codegen
