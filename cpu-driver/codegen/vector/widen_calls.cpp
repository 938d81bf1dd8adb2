// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/widen_calls.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "cpu-driver/codegen/vector/markers.h"

namespace skmd::codegen {

namespace {

using llvm::CallInst;
using llvm::FixedVectorType;
using llvm::Type;
using llvm::Value;

bool overflows(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::sadd_with_overflow:
    case llvm::Intrinsic::uadd_with_overflow:
    case llvm::Intrinsic::ssub_with_overflow:
    case llvm::Intrinsic::usub_with_overflow:
    case llvm::Intrinsic::smul_with_overflow:
    case llvm::Intrinsic::umul_with_overflow:
      return true;
    default:
      return false;
  }
}

bool without_effect(const llvm::IntrinsicInst& call) {
  return call.isLifetimeStartOrEnd() || call.isAssumeLikeIntrinsic() || llvm::isa<llvm::DbgInfoIntrinsic>(call);
}

// Where nothing is computed, something harmless is: 1 has no slow path in any builtin.
Value* harmless(Builder& builder, Value* mask, Value* value) {
  auto* type = llvm::cast<FixedVectorType>(value->getType());
  Type* element = type->getElementType();
  llvm::Constant* one = element->isFloatingPointTy() ? llvm::ConstantFP::get(type, 1.0)
                        : element->isIntegerTy()     ? llvm::ConstantInt::get(type, 1)
                                                     : nullptr;
  return one == nullptr ? value : builder.CreateSelect(mask, value, one);
}

Value* half_of(Builder& builder, Value* value, bool upper) {
  const int half = static_cast<int>(llvm::cast<FixedVectorType>(value->getType())->getNumElements() / 2);
  llvm::SmallVector<int, 32> places;
  for (int at = 0; at < half; ++at) places.push_back(upper ? half + at : at);
  return builder.CreateShuffleVector(value, places);
}

Value* joined(Builder& builder, Value* low, Value* high) {
  const int lanes = static_cast<int>(llvm::cast<FixedVectorType>(low->getType())->getNumElements());
  llvm::SmallVector<int, 32> places;
  for (int at = 0; at < 2 * lanes; ++at) places.push_back(at);
  return builder.CreateShuffleVector(low, high, places);
}

bool takes(const llvm::Function& function, Type* result, llvm::ArrayRef<Value*> arguments) {
  if (function.getReturnType() != result || function.arg_size() != arguments.size()) return false;
  for (unsigned at = 0; at < arguments.size(); ++at)
    if (function.getArg(at)->getType() != arguments[at]->getType()) return false;
  return true;
}

}  // namespace

domain::Status CallWidener::widen(CallInst& source) {
  switch (marker(source)) {
    case Marker::any:
      values_.set_scalar(source, any(source));
      return {};
    case Marker::each:
      return lane_by_lane(source, bundle_mask(source));
    case Marker::intrinsic:
      return intrinsic(llvm::cast<llvm::IntrinsicInst>(source));
    default:
      return builtin(source);
  }
}

Value* CallWidener::any(CallInst& source) {
  Value* mask = source.getArgOperand(0);
  return values_.shape(mask).uniform() ? values_.scalar(mask) : any_lane(builder_, values_.vector(mask));
}

domain::Status CallWidener::intrinsic(llvm::IntrinsicInst& source) {
  if (without_effect(source)) return {};
  const llvm::Intrinsic::ID id = source.getIntrinsicID();
  if (values_.shape(&source).uniform() && is_pure(source)) {
    values_.set_scalar(source, copy_scalar(builder_, values_, source));
    return {};
  }
  if (source.isConvergent() || (!is_pure(source) && !llvm::isa<llvm::MemIntrinsic>(source)))
    return unsupported(source, "cannot be done on lanes");
  if (!overflows(id) && !llvm::isTriviallyVectorizable(id)) return lane_by_lane(source, nullptr);
  llvm::SmallVector<Type*, 4> types;
  llvm::SmallVector<Value*, 4> arguments;
  if (!overflows(id) && llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr))
    types.push_back(lanes_of(source.getType(), values_.lanes()));
  for (unsigned at = 0; at < source.arg_size(); ++at) {
    Value* argument = source.getArgOperand(at);
    const bool one = llvm::isVectorIntrinsicWithScalarOpAtArg(id, at, nullptr);
    if (one && !values_.shape(argument).uniform()) return lane_by_lane(source, nullptr);
    arguments.push_back(one ? values_.scalar(argument) : values_.vector(argument));
    const bool overloaded = overflows(id) ? at == 0 : llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, at, nullptr);
    if (overloaded) types.push_back(arguments.back()->getType());
  }
  llvm::Function* function = llvm::Intrinsic::getOrInsertDeclaration(&module_, id, types);
  CallInst* made = builder_.CreateCall(function, arguments);
  if (llvm::isa<llvm::FPMathOperator>(made)) made->copyFastMathFlags(&source);
  values_.set_vector(source, made);
  return {};
}

domain::Status CallWidener::lane_by_lane(CallInst& source, Value* mask) {
  Type* type = source.getType();
  const bool nothing = type->isVoidTy();
  if (!nothing && (lanes_of(type, values_.lanes()) == nullptr || type->isStructTy()))
    return unsupported(source, "lanes of this type are not supported");
  Arrays arrays;
  if (domain::Status status = store_arguments(source, arrays); !status) return status;
  if (!is_pure(source)) remarks_.add(source, "runs lane by lane");
  llvm::AllocaInst* results = nothing ? nullptr : storage_.array(type);
  for_each_lane(builder_, lanes_to_run(mask), [&](Value* lane) {
    Value* wide = builder_.CreateZExt(lane, builder_.getInt64Ty());
    CallInst* made = call_for_lane(source, arrays, wide);
    if (!nothing) builder_.CreateStore(to_stored(builder_, made), place_of_lane(results, wide));
  });
  if (nothing) return {};
  Type* stored = lanes_of(stored_type(type), values_.lanes());
  Value* made = from_stored(builder_, builder_.CreateLoad(stored, results), lanes_of(type, values_.lanes()));
  values_.set_vector(source, made);
  return {};
}

domain::Status CallWidener::store_arguments(CallInst& source, Arrays& arrays) {
  for (Value* argument : source.args()) {
    const Shape shape = values_.shape(argument);
    if (shape.kind != Shape::linear && lanes_of(argument->getType(), values_.lanes()) == nullptr)
      return unsupported(source, "lanes of this type are not supported");
    const bool computed = shape.kind == Shape::linear && !shape.checked;
    arrays.push_back(computed ? nullptr : storage_.array(argument->getType()));
    if (!computed) builder_.CreateStore(to_stored(builder_, values_.vector(argument)), arrays.back());
  }
  return {};
}

// A bit for each, as mask_bits gives them.
Value* CallWidener::lanes_to_run(Value* mask) {
  Value* all = all_mask_bits(builder_, values_.lanes());
  if (all_lanes(mask)) return all;
  if (values_.shape(mask).uniform()) return builder_.CreateSelect(values_.scalar(mask), all, builder_.getInt32(0));
  return mask_bits(builder_, values_.vector(mask));
}

Value* CallWidener::place_of_lane(llvm::AllocaInst* array, Value* lane) {
  return builder_.CreateInBoundsGEP(array->getAllocatedType(), array, {builder_.getInt64(0), lane});
}

Value* CallWidener::argument_of_lane(Value* argument, llvm::AllocaInst* array, Value* lane) {
  Type* type = argument->getType();
  if (array != nullptr) {
    Value* made = builder_.CreateLoad(stored_type(type), place_of_lane(array, lane));
    return from_stored(builder_, made, type);
  }
  const std::int64_t stride = values_.shape(argument).stride;
  if (stride == 0) return values_.scalar(argument);
  if (type->isPointerTy())
    return builder_.CreatePtrAdd(values_.scalar(argument), builder_.CreateMul(lane, builder_.getInt64(stride)));
  Value* distance = builder_.CreateMul(lane, builder_.getInt64(stride));
  return builder_.CreateAdd(values_.scalar(argument), builder_.CreateZExtOrTrunc(distance, type));
}

// `lane` is an i64.
CallInst* CallWidener::call_for_lane(CallInst& source, const Arrays& arrays, Value* lane) {
  llvm::SmallVector<Value*, 8> arguments;
  for (unsigned at = 0; at < source.arg_size(); ++at)
    arguments.push_back(argument_of_lane(source.getArgOperand(at), arrays[at], lane));
  CallInst* made = builder_.CreateCall(source.getFunctionType(), source.getCalledOperand(), arguments);
  made->setCallingConv(source.getCallingConv());
  made->setAttributes(source.getAttributes());
  if (marker(source) == Marker::each) bodies_.push_back(made);
  return made;
}

domain::Status CallWidener::inline_bodies() {
  for (CallInst* call : bodies_) {
    llvm::InlineFunctionInfo info;
    if (!llvm::InlineFunction(*call, info).isSuccess()) return unsupported(*call, "cannot be done lane by lane");
  }
  return {};
}

// Null: there is no vector form for `lanes` nor for a part of them.
Value* CallWidener::by_parts(CallInst& source, llvm::ArrayRef<Value*> arguments, unsigned lanes) {
  Type* result = lanes_of(source.getType(), lanes);
  llvm::Function* form = vector_form_(module_, source.getCalledFunction()->getName(), lanes, isa_);
  if (form != nullptr && takes(*form, result, arguments)) {
    CallInst* made = builder_.CreateCall(form, arguments);
    made->setCallingConv(form->getCallingConv());
    return made;
  }
  if (lanes == 2) return nullptr;
  llvm::SmallVector<Value*, 4> low;
  llvm::SmallVector<Value*, 4> high;
  for (Value* argument : arguments) {
    low.push_back(half_of(builder_, argument, false));
    high.push_back(half_of(builder_, argument, true));
  }
  Value* first = by_parts(source, low, lanes / 2);
  if (first == nullptr) return nullptr;
  return joined(builder_, first, by_parts(source, high, lanes / 2));
}

void CallWidener::uniform_builtin(CallInst& source) {
  llvm::SmallVector<Value*, 4> arguments;
  for (Value* argument : source.args()) arguments.push_back(values_.scalar(argument));
  CallInst* made = builder_.CreateCall(source.getCalledFunction(), arguments);
  made->setCallingConv(source.getCallingConv());
  made->setAttributes(source.getAttributes());
  values_.set_scalar(source, made);
}

domain::Status CallWidener::builtin(CallInst& source) {
  llvm::Function* callee = source.getCalledFunction();
  if (callee == nullptr) return unsupported(source, "a call of an unknown function");
  Value* mask = bundle_mask(source);
  if (values_.shape(&source).uniform()) {
    uniform_builtin(source);
    return {};
  }
  if (!is_pure(source) || !vector_form_) return lane_by_lane(source, mask);
  llvm::SmallVector<Value*, 4> arguments;
  for (Value* argument : source.args()) {
    if (lanes_of(argument->getType(), values_.lanes()) == nullptr || argument->getType()->isStructTy())
      return unsupported(source, "lanes of this type are not supported");
    Value* made = values_.vector(argument);
    arguments.push_back(all_lanes(mask) ? made : harmless(builder_, values_.mask_vector(mask), made));
  }
  if (lanes_of(source.getType(), values_.lanes()) == nullptr) return lane_by_lane(source, mask);
  if (Value* made = by_parts(source, arguments, values_.lanes())) {
    values_.set_vector(source, made);
    return {};
  }
  remarks_.add(source, "called lane by lane: " + callee->getName().str());
  return lane_by_lane(source, mask);
}

}  // namespace skmd::codegen
