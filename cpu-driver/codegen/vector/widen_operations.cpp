// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/widen_operations.h"

#include "cpu-driver/codegen/vector/diagnostics.h"
#include "cpu-driver/codegen/vector/widen_division.h"

namespace skmd::codegen {

using llvm::Instruction;
using llvm::Value;

domain::Status OperationWidener::widen(Instruction& source) {
  const Shape shape = values_.shape(&source);
  if (shape.kind != Shape::linear) return varying(source);
  shape.uniform() ? uniform(source) : linear(source);
  return {};
}

void OperationWidener::uniform(Instruction& source) {
  auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&source);
  if (operation != nullptr && operation->isIntDivRem()) {
    values_.set_scalar(source, scalar_division(builder_, values_, *operation));
    return;
  }
  Instruction* made = copy_scalar(builder_, values_, source);
  values_.set_scalar(source, made);
  // Of lane 0's numbers, where lanes' numbers differ and this does not: lane 0 may not run.
  const bool same =
      llvm::all_of(source.operands(), [&](const llvm::Use& use) { return values_.shape(use.get()).uniform(); });
  if (!same) made->dropPoisonGeneratingFlags();
}

// Lane 0 may not run: nothing may be assumed of its numbers.
void OperationWidener::linear(Instruction& source) {
  if (auto* add = llvm::dyn_cast<llvm::GetElementPtrInst>(&source); add != nullptr && layout_.interleaved(add)) {
    Value* offset = builder_.CreateMul(values_.scalar(add->getOperand(1)), builder_.getInt64(values_.lanes()));
    values_.set_scalar(source, builder_.CreatePtrAdd(values_.scalar(add->getPointerOperand()), offset));
  } else {
    Instruction* made = copy_scalar(builder_, values_, source);
    values_.set_scalar(source, made);
    made->dropPoisonGeneratingFlags();
  }
  if (!values_.shape(&source).checked) return;
  values_.set_check(source, condition(source));
  values_.set_vector(source, vector(source));
}

// Under which its scalar tells of the other lanes: that of all operands, and of `source` itself if it extends a number.
Value* OperationWidener::condition(Instruction& source) {
  Value* check = nullptr;
  for (Value* operand : source.operands())
    if (Value* one = values_.check_of(operand)) check = check == nullptr ? one : builder_.CreateAnd(check, one);
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&source);
      cast != nullptr && (cast->getOpcode() == Instruction::SExt || cast->getOpcode() == Instruction::ZExt)) {
    Value* own = wraps_not(*cast);
    check = check == nullptr ? own : builder_.CreateAnd(check, own);
  }
  return check;
}

// Extending the last lane's number gives what stepping from the first lane's gives: so it is for those between.
Value* OperationWidener::wraps_not(llvm::CastInst& source) {
  const std::int64_t stride = values_.shape(source.getOperand(0)).stride;
  const unsigned last_lane = values_.lanes() - 1;
  Value* last = step(builder_, values_.scalar(source.getOperand(0)), stride, last_lane);
  Value* extended = builder_.CreateCast(source.getOpcode(), last, source.getType());
  // Decides a branch, maybe where no lane runs and it means nothing.
  return builder_.CreateFreeze(
      builder_.CreateICmpEQ(extended, step(builder_, values_.scalar(&source), stride, last_lane)));
}

domain::Status OperationWidener::varying(Instruction& source) {
  if (lanes_of(source.getType(), values_.lanes()) == nullptr)
    return unsupported(source, "lanes of this type are not supported");
  for (Value* operand : source.operands())
    if (operand->getType()->isVectorTy() || operand->getType()->isArrayTy())
      return unsupported(source, "operands of this type are not supported");
  Value* made = vector(source);
  if (made == nullptr) return unsupported(source, "not supported on lanes");
  values_.set_vector(source, made);
  return {};
}

Value* OperationWidener::address(llvm::GetElementPtrInst& source) {
  Value* offset = values_.vector(source.getOperand(1));
  if (layout_.interleaved(&source))
    offset = builder_.CreateMul(offset, values_.vector(builder_.getInt64(values_.lanes())));
  Value* base = source.getPointerOperand();
  return builder_.CreateGEP(builder_.getInt8Ty(),
                            values_.shape(base).uniform() ? values_.scalar(base) : values_.vector(base), offset);
}

// Null: it has no form for lanes. Flags stay: what they promise, they promise lane by lane.
Value* OperationWidener::vector(Instruction& source) {
  if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&source); operation != nullptr && operation->isIntDivRem())
    return vector_division(builder_, values_, *operation);
  if (auto* add = llvm::dyn_cast<llvm::GetElementPtrInst>(&source)) return address(*add);
  const bool aggregate = llvm::isa<llvm::ExtractValueInst>(source) || llvm::isa<llvm::InsertValueInst>(source);
  if (!llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::CastInst, llvm::SelectInst, llvm::UnaryOperator,
                 llvm::FreezeInst>(source) &&
      !aggregate)
    return nullptr;
  Instruction* made = source.clone();
  for (llvm::Use& operand : made->operands()) {
    Value* value = operand.get();
    const bool one =
        llvm::isa<llvm::SelectInst>(source) && operand.getOperandNo() == 0 && values_.shape(value).uniform();
    operand.set(one ? values_.scalar(value) : values_.vector(value));
  }
  made->mutateType(lanes_of(source.getType(), values_.lanes()));
  made->dropUnknownNonDebugMetadata();
  builder_.Insert(made, source.getName());
  return made;
}

}  // namespace skmd::codegen
