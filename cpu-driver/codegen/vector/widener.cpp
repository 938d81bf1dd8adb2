// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/widener.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "cpu-driver/codegen/places.h"

namespace skmd::codegen {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Type;
using llvm::Value;

Widener::Widener(llvm::Function& source, llvm::Function& target, const Shapes& shapes, const PrivateLayout& layout,
                 const llvm::DominatorTree& dominators, const WidenOptions& options)
    : source_(source),
      target_(target),
      shapes_(shapes),
      layout_(layout),
      dominators_(dominators),
      options_(options),
      lanes_(options.width),
      groups_(source, shapes, layout, options.width),
      prologue_(BasicBlock::Create(target.getContext(), "prologue", &target)),
      builder_(target.getContext(), llvm::TargetFolder(target.getDataLayout())),
      side_(target.getContext(), llvm::TargetFolder(target.getDataLayout())) {
  find_updates();
}

// The side builder right behind what defines `made`.
void Widener::at_definition(Value* made) {
  auto* instruction = llvm::dyn_cast<Instruction>(made);
  if (instruction == nullptr) {
    side_.SetInsertPoint(prologue_, prologue_->getFirstNonPHIOrDbgOrAlloca());
    return;
  }
  BasicBlock* block = instruction->getParent();
  side_.SetInsertPoint(block, llvm::isa<llvm::PHINode>(instruction) ? block->getFirstInsertionPt()
                                                                    : std::next(instruction->getIterator()));
  side_.SetCurrentDebugLocation(instruction->getDebugLoc());
}

Value* Widener::scalar(Value* value) {
  if (llvm::isa<llvm::Constant>(value) || llvm::isa<llvm::MetadataAsValue>(value)) return value;
  return scalars_.lookup(value);
}

Value* Widener::vector(Value* value) {
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(value); constant != nullptr && !value->getType()->isStructTy())
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes_), constant);
  if (Value* made = vectors_.lookup(value)) return made;
  Value* first = scalar(value);
  at_definition(first);
  const Shape shape = shapes_[value];
  Value* made = shape.stride == 0 ? splat(side_, first, lanes_) : steps(side_, first, shape.stride, lanes_);
  vectors_[value] = made;
  return made;
}

Value* Widener::mask_vector(Value* mask) {
  if (mask != nullptr) return vector(mask);
  return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes_), builder_.getTrue());
}

Value* Widener::lane(Value* value, unsigned lane) {
  const Shape shape = shapes_[value];
  if (shape.kind == Shape::linear && !shape.checked) return step(builder_, scalar(value), shape.stride, lane);
  return builder_.CreateExtractElement(vector(value), lane);
}

Value* Widener::check_of(Value* value) { return shapes_[value].checked ? checks_.lookup(value) : nullptr; }

domain::Status Widener::unsupported(const Instruction& source, const char* why) {
  std::string text = std::string(why) + ": " + source.getOpcodeName();
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&source);
      call != nullptr && call->getCalledFunction() != nullptr)
    text += " " + call->getCalledFunction()->getName().str();
  return domain::Error{0, with_place(source.getDebugLoc(), text)};
}

void Widener::remark(const Instruction& source, const std::string& text) {
  if (options_.remarks == nullptr) return;
  options_.remarks->push_back(place_of(source.getDebugLoc()) + ": " + text);
}

void Widener::make_parameters() {
  llvm::Argument* live = argument_with(source_, kLive);
  for (llvm::Argument& argument : source_.args()) {
    if (&argument == live) continue;
    llvm::Argument* made = target_.getArg(argument.getArgNo());
    made->setName(argument.getName());
    set_scalar(argument, made);
  }
  if (live == nullptr || options_.full) return;
  llvm::Argument* lanes = target_.getArg(live->getArgNo());
  lanes->setName("live");
  set_vector(*live, lanes);
}

domain::Status Widener::run() {
  make_parameters();
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&source_);
  for (BasicBlock* source : order)
    first_[source] = BasicBlock::Create(target_.getContext(), source->getName(), &target_);
  for (BasicBlock* source : order)
    if (domain::Status status = block(*source); !status) return status;
  fill_phis();
  builder_.SetInsertPoint(prologue_);
  builder_.SetCurrentDebugLocation({});
  builder_.CreateBr(first_[&source_.getEntryBlock()]);
  for (llvm::CallInst* call : inlined_) {
    llvm::InlineFunctionInfo info;
    if (!llvm::InlineFunction(*call, info).isSuccess()) return unsupported(*call, "cannot be done lane by lane");
  }
  return {};
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

domain::Status Widener::instruction(Instruction& source) {
  const Shape shape = shapes_[&source];
  if (auto* node = llvm::dyn_cast<llvm::PHINode>(&source)) {
    if (shape.kind != Shape::linear && lanes_of(source.getType(), lanes_) == nullptr)
      return unsupported(source, "lanes of this type are not supported");
    phi(*node);
    return {};
  }
  if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&source)) {
    variable(*alloca);
    return {};
  }
  if (inside_updates_.contains(&source)) return {};  // the store does it
  if (const auto found = updates_.find(&source); found != updates_.end()) {
    update(*access(source), found->second);
    return {};
  }
  if (grouped(source)) return {};
  if (const std::optional<Access> found = access(source))
    return found->stored != nullptr ? store(*found) : load(*found);
  if (auto* made = llvm::dyn_cast<llvm::CallInst>(&source)) return call(*made);
  if (llvm::isa<llvm::FenceInst>(source)) {
    builder_.Insert(source.clone());
    return {};
  }
  if (source.mayReadOrWriteMemory()) return unsupported(source, "an access that is not simple");
  if (shape.uniform()) {
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&source);
    if (operation != nullptr && operation->isIntDivRem()) {
      scalar_division(*operation);
      return {};
    }
    copy_scalar(source);
    // Of lane 0's numbers, where lanes' numbers differ and this does not: lane 0 may not run.
    const bool same =
        llvm::all_of(source.operands(), [&](const llvm::Use& use) { return shapes_[use.get()].uniform(); });
    if (!same) llvm::cast<Instruction>(scalars_[&source])->dropPoisonGeneratingFlags();
    return {};
  }
  if (shape.kind != Shape::linear) return varying(source);
  linear(source);
  return {};
}

void Widener::phi(llvm::PHINode& source) {
  const bool one = shapes_[&source].kind == Shape::linear;
  Type* type = one ? source.getType() : lanes_of(source.getType(), lanes_);
  llvm::PHINode* made = builder_.CreatePHI(type, source.getNumIncomingValues(), source.getName());
  one ? set_scalar(source, made) : set_vector(source, made);
}

void Widener::fill_phis() {
  for (BasicBlock& source : source_) {
    for (llvm::PHINode& node : source.phis()) {
      const bool one = shapes_[&node].kind == Shape::linear;
      auto* made = llvm::cast<llvm::PHINode>(one ? scalars_[&node] : vectors_[&node]);
      for (unsigned at = 0; at < node.getNumIncomingValues(); ++at) {
        Value* value = node.getIncomingValue(at);
        made->addIncoming(one ? scalar(value) : vector(value), last_[node.getIncomingBlock(at)]);
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
    if (!shapes_[operand.get()].uniform()) {
      made->deleteValue();
      return unsupported(source, "lanes disagree about where to go on");
    }
    operand.set(scalar(operand.get()));
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
  if (shapes_[value].uniform()) {
    builder_.CreateRet(scalar(value));
    return;
  }
  Value* first = builder_.getInt32(0);
  if (llvm::Argument* live = argument_with(source_, kLive); live != nullptr && !options_.full) {
    Value* bits = mask_bits(builder_, vector(live));
    Value* none = builder_.CreateICmpEQ(bits, builder_.getInt32(0));
    Value* lowest = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder_.getFalse());
    first = builder_.CreateSelect(none, builder_.getInt32(0), lowest);
  }
  builder_.CreateRet(builder_.CreateExtractElement(vector(value), first));
}

void Widener::variable(llvm::AllocaInst& source) {
  const PrivateVariable& found = *layout_.variable(&source);
  side_.SetInsertPoint(prologue_, prologue_->begin());
  side_.SetCurrentDebugLocation({});
  llvm::AllocaInst* made = side_.CreateAlloca(llvm::ArrayType::get(side_.getInt8Ty(), found.size * lanes_),
                                              source.getAddressSpace(), nullptr, source.getName());
  made->setAlignment(std::max(found.align, llvm::Align(64)));
  set_scalar(source, made);
}

void Widener::copy_scalar(Instruction& source) {
  Instruction* made = source.clone();
  for (llvm::Use& operand : made->operands()) operand.set(scalar(operand.get()));
  made->dropUnknownNonDebugMetadata();
  builder_.Insert(made, source.getName());
  set_scalar(source, made);
}

// Lane 0 may not run: nothing may be assumed of its numbers.
void Widener::linear(Instruction& source) {
  if (auto* add = llvm::dyn_cast<llvm::GetElementPtrInst>(&source); add != nullptr && layout_.interleaved(add)) {
    Value* offset = builder_.CreateMul(scalar(add->getOperand(1)), builder_.getInt64(lanes_));
    set_scalar(source, builder_.CreatePtrAdd(scalar(add->getPointerOperand()), offset));
  } else {
    copy_scalar(source);
    llvm::cast<Instruction>(scalars_[&source])->dropPoisonGeneratingFlags();
  }
  if (!shapes_[&source].checked) return;
  Value* check = nullptr;
  for (Value* operand : source.operands())
    if (Value* one = check_of(operand)) check = check == nullptr ? one : builder_.CreateAnd(check, one);
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&source);
      cast != nullptr && (cast->getOpcode() == Instruction::SExt || cast->getOpcode() == Instruction::ZExt)) {
    Value* own = wraps_not(*cast);
    check = check == nullptr ? own : builder_.CreateAnd(check, own);
  }
  checks_[&source] = check;
  set_vector(source, widened(source));
}

// Extending the last lane's number gives what stepping from the first lane's gives: so it is for those between.
Value* Widener::wraps_not(llvm::CastInst& source) {
  const std::int64_t stride = shapes_[source.getOperand(0)].stride;
  Value* last = step(builder_, scalar(source.getOperand(0)), stride, lanes_ - 1);
  Value* extended = builder_.CreateCast(source.getOpcode(), last, source.getType());
  // Decides a branch, maybe where no lane runs and it means nothing.
  return builder_.CreateFreeze(builder_.CreateICmpEQ(extended, step(builder_, scalar(&source), stride, lanes_ - 1)));
}

domain::Status Widener::varying(Instruction& source) {
  if (lanes_of(source.getType(), lanes_) == nullptr) return unsupported(source, "lanes of this type are not supported");
  for (Value* operand : source.operands())
    if (operand->getType()->isVectorTy() || operand->getType()->isArrayTy())
      return unsupported(source, "operands of this type are not supported");
  Value* made = widened(source);
  if (made == nullptr) return unsupported(source, "not supported on lanes");
  set_vector(source, made);
  return {};
}

// Flags stay: what they promise, they promise lane by lane.
Value* Widener::widened(Instruction& source) {
  if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&source); operation != nullptr && operation->isIntDivRem())
    return division(*operation);
  if (auto* add = llvm::dyn_cast<llvm::GetElementPtrInst>(&source)) {
    Value* offset = vector(add->getOperand(1));
    if (layout_.interleaved(add)) offset = builder_.CreateMul(offset, vector(builder_.getInt64(lanes_)));
    Value* base = add->getPointerOperand();
    return builder_.CreateGEP(builder_.getInt8Ty(), shapes_[base].uniform() ? scalar(base) : vector(base), offset);
  }
  const bool aggregate = llvm::isa<llvm::ExtractValueInst>(source) || llvm::isa<llvm::InsertValueInst>(source);
  if (!llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::CastInst, llvm::SelectInst, llvm::UnaryOperator,
                 llvm::FreezeInst>(source) &&
      !aggregate)
    return nullptr;
  Instruction* made = source.clone();
  for (llvm::Use& operand : made->operands()) {
    Value* value = operand.get();
    const bool one = llvm::isa<llvm::SelectInst>(source) && operand.getOperandNo() == 0 && shapes_[value].uniform();
    operand.set(one ? scalar(value) : vector(value));
  }
  made->mutateType(lanes_of(source.getType(), lanes_));
  made->dropUnknownNonDebugMetadata();
  builder_.Insert(made, source.getName());
  return made;
}

}  // namespace skmd::codegen
