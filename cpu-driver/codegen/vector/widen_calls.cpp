// SPDX-License-Identifier: Apache-2.0
// Calls on lanes: intrinsics, math builtins, and what runs lane by lane.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Intrinsics.h>

#include "cpu-driver/codegen/vector/widener.h"

namespace skmd::codegen {

namespace {

using llvm::CallInst;
using llvm::FixedVectorType;
using llvm::Instruction;
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

domain::Status Widener::call(CallInst& source) {
  switch (marker(source)) {
    case Marker::any:
      any(source);
      return {};
    case Marker::each:
      return lane_by_lane(source, bundle_mask(source));
    case Marker::intrinsic:
      return intrinsic(llvm::cast<llvm::IntrinsicInst>(source));
    default:
      return builtin(source);
  }
}

void Widener::any(CallInst& source) {
  Value* mask = source.getArgOperand(0);
  set_scalar(source, shapes_[mask].uniform() ? scalar(mask) : any_lane(builder_, vector(mask)));
}

domain::Status Widener::intrinsic(llvm::IntrinsicInst& source) {
  if (without_effect(source)) return {};
  const llvm::Intrinsic::ID id = source.getIntrinsicID();
  if (shapes_[&source].uniform() && is_pure(source)) {
    copy_scalar(source);
    return {};
  }
  if (source.isConvergent() || (!is_pure(source) && !llvm::isa<llvm::MemIntrinsic>(source)))
    return unsupported(source, "cannot be done on lanes");
  if (!overflows(id) && !llvm::isTriviallyVectorizable(id)) return lane_by_lane(source, nullptr);
  llvm::SmallVector<Type*, 4> types;
  llvm::SmallVector<Value*, 4> arguments;
  if (!overflows(id) && llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr))
    types.push_back(lanes_of(source.getType(), lanes_));
  for (unsigned at = 0; at < source.arg_size(); ++at) {
    Value* argument = source.getArgOperand(at);
    const bool one = llvm::isVectorIntrinsicWithScalarOpAtArg(id, at, nullptr);
    if (one && !shapes_[argument].uniform()) return lane_by_lane(source, nullptr);
    arguments.push_back(one ? scalar(argument) : vector(argument));
    const bool overloaded = overflows(id) ? at == 0 : llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, at, nullptr);
    if (overloaded) types.push_back(arguments.back()->getType());
  }
  llvm::Function* function = llvm::Intrinsic::getOrInsertDeclaration(target_.getParent(), id, types);
  CallInst* made = builder_.CreateCall(function, arguments);
  if (llvm::isa<llvm::FPMathOperator>(made)) made->copyFastMathFlags(&source);
  set_vector(source, made);
  return {};
}

llvm::AllocaInst* Widener::lane_array(Type* type) {
  side_.SetInsertPoint(prologue_, prologue_->begin());
  side_.SetCurrentDebugLocation({});
  llvm::AllocaInst* array = side_.CreateAlloca(llvm::ArrayType::get(stored_type(type), lanes_));
  array->setAlignment(llvm::Align(64));
  return array;
}

domain::Status Widener::lane_by_lane(CallInst& source, Value* mask) {
  Type* type = source.getType();
  const bool nothing = type->isVoidTy();
  if (!nothing && (lanes_of(type, lanes_) == nullptr || type->isStructTy()))
    return unsupported(source, "lanes of this type are not supported");
  llvm::SmallVector<llvm::AllocaInst*, 8> arrays;
  for (Value* argument : source.args()) {
    const Shape shape = shapes_[argument];
    if (shape.kind != Shape::linear && lanes_of(argument->getType(), lanes_) == nullptr)
      return unsupported(source, "lanes of this type are not supported");
    const bool computed = shape.kind == Shape::linear && !shape.checked;
    arrays.push_back(computed ? nullptr : lane_array(argument->getType()));
    if (!computed) builder_.CreateStore(to_stored(builder_, vector(argument)), arrays.back());
  }
  if (!is_pure(source)) remark(source, "runs lane by lane");
  llvm::AllocaInst* results = nothing ? nullptr : lane_array(type);
  Value* all = builder_.getInt32(static_cast<std::uint32_t>((std::uint64_t{1} << lanes_) - 1));
  Value* bits = all_lanes(mask)           ? all
                : shapes_[mask].uniform() ? builder_.CreateSelect(scalar(mask), all, builder_.getInt32(0))
                                          : mask_bits(builder_, vector(mask));
  for_each_lane(builder_, bits, [&](Value* lane) {
    Value* wide = builder_.CreateZExt(lane, builder_.getInt64Ty());
    const auto place = [&](llvm::AllocaInst* array) {
      return builder_.CreateInBoundsGEP(array->getAllocatedType(), array, {builder_.getInt64(0), wide});
    };
    llvm::SmallVector<Value*, 8> arguments;
    for (unsigned at = 0; at < source.arg_size(); ++at) {
      Value* argument = source.getArgOperand(at);
      Value* made = nullptr;
      if (arrays[at] != nullptr) {
        made = builder_.CreateLoad(stored_type(argument->getType()), place(arrays[at]));
        made = from_stored(builder_, made, argument->getType());
      } else if (const std::int64_t stride = shapes_[argument].stride; stride == 0) {
        made = scalar(argument);
      } else if (argument->getType()->isPointerTy()) {
        made = builder_.CreatePtrAdd(scalar(argument), builder_.CreateMul(wide, builder_.getInt64(stride)));
      } else {
        Value* distance = builder_.CreateMul(wide, builder_.getInt64(stride));
        made = builder_.CreateAdd(scalar(argument), builder_.CreateZExtOrTrunc(distance, argument->getType()));
      }
      arguments.push_back(made);
    }
    CallInst* made = builder_.CreateCall(source.getFunctionType(), source.getCalledOperand(), arguments);
    made->setCallingConv(source.getCallingConv());
    made->setAttributes(source.getAttributes());
    if (marker(source) == Marker::each) inlined_.push_back(made);
    if (!nothing) builder_.CreateStore(to_stored(builder_, made), place(results));
  });
  if (nothing) return {};
  Type* stored = lanes_of(stored_type(type), lanes_);
  set_vector(source, from_stored(builder_, builder_.CreateLoad(stored, results), lanes_of(type, lanes_)));
  return {};
}

// Null: there is no vector form for `lanes` nor for a part of them.
Value* Widener::by_parts(CallInst& source, llvm::ArrayRef<Value*> arguments, unsigned lanes) {
  Type* result = lanes_of(source.getType(), lanes);
  llvm::Function* form =
      options_.vector_form(*target_.getParent(), source.getCalledFunction()->getName(), lanes, options_.isa);
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

domain::Status Widener::builtin(CallInst& source) {
  llvm::Function* callee = source.getCalledFunction();
  if (callee == nullptr) return unsupported(source, "a call of an unknown function");
  Value* mask = bundle_mask(source);
  if (shapes_[&source].uniform()) {
    llvm::SmallVector<Value*, 4> arguments;
    for (Value* argument : source.args()) arguments.push_back(scalar(argument));
    CallInst* made = builder_.CreateCall(callee, arguments);
    made->setCallingConv(source.getCallingConv());
    made->setAttributes(source.getAttributes());
    set_scalar(source, made);
    return {};
  }
  if (!is_pure(source) || !options_.vector_form) return lane_by_lane(source, mask);
  llvm::SmallVector<Value*, 4> arguments;
  for (Value* argument : source.args()) {
    if (lanes_of(argument->getType(), lanes_) == nullptr || argument->getType()->isStructTy())
      return unsupported(source, "lanes of this type are not supported");
    Value* made = vector(argument);
    arguments.push_back(all_lanes(mask) ? made : harmless(builder_, mask_vector(mask), made));
  }
  if (lanes_of(source.getType(), lanes_) == nullptr) return lane_by_lane(source, mask);
  if (Value* made = by_parts(source, arguments, lanes_)) {
    set_vector(source, made);
    return {};
  }
  remark(source, "called lane by lane: " + callee->getName().str());
  return lane_by_lane(source, mask);
}

}  // namespace skmd::codegen
