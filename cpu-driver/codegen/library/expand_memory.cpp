// SPDX-License-Identifier: Apache-2.0
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "compiler/ir/lanes.h"
#include "cpu-driver/codegen/library/expand.h"

namespace skmd::codegen {

namespace {

/// `scalar`, or a vector of as many as `like` has.
llvm::Type* with_lanes_of(llvm::Type* scalar, const llvm::Type* like) {
  const unsigned lanes = lanes_of(like);
  return lanes == 1 ? scalar : static_cast<llvm::Type*>(llvm::FixedVectorType::get(scalar, lanes));
}

/// What "half", "half4_rtz" or "4" say.
struct Shape {
  bool half = false;
  unsigned lanes = 1;
  llvm::StringRef rounding = "";  // "", "_rte"...
};

std::optional<Shape> shape_of(llvm::StringRef text) {
  Shape shape;
  shape.half = text.consume_front("_half");
  if (!text.empty() && llvm::isDigit(text.front()) && text.consumeInteger(10, shape.lanes)) return std::nullopt;
  shape.rounding = text;
  const bool known = text.empty() || text == "_rte" || text == "_rtz" || text == "_rtp" || text == "_rtn";
  if (!known || (!shape.half && (shape.lanes == 1 || !text.empty()))) return std::nullopt;
  return shape;
}

/// vloada and vstorea: aligned to the whole vector, whose third element has a fourth beside it.
struct Place {
  llvm::Value* address;
  llvm::Align alignment;
};

Place place_of(llvm::IRBuilder<>& builder, llvm::Value* pointer, llvm::Value* offset, llvm::Type* element,
               unsigned lanes, bool aligned) {
  const unsigned stride = aligned && lanes == 3 ? 4 : lanes;
  const std::uint64_t bytes = element->getPrimitiveSizeInBits() / 8;
  llvm::Value* index = builder.CreateMul(offset, llvm::ConstantInt::get(offset->getType(), stride));
  return {builder.CreateGEP(element, pointer, index), llvm::Align(aligned ? stride * bytes : bytes)};
}

Expansion expand_load(llvm::CallInst& call, const Shape& shape, bool aligned) {
  llvm::IRBuilder<> builder(&call);
  llvm::Type* element = shape.half ? builder.getHalfTy() : call.getType()->getScalarType();
  const Place place =
      place_of(builder, call.getArgOperand(1), call.getArgOperand(0), element, shape.lanes, shape.half && aligned);
  llvm::Value* value =
      builder.CreateAlignedLoad(with_lanes_of(element, call.getType()), place.address, place.alignment);
  return shape.half ? builder.CreateFPExt(value, call.getType()) : value;
}

/// The bits of `value` as half, by the library's function for the rounding: processors round doubles to half in two
/// steps, or not at all.
llvm::Value* half_bits(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::StringRef rounding) {
  llvm::Type* type = value->getType();
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  const bool is_double = type->getScalarType()->isDoubleTy();
  const std::string base = "skmd_half" + (rounding.empty() ? "_rte" : rounding.str());
  const std::string name = "_Z" + std::to_string(base.size()) + base + (is_double ? "d" : "f");
  auto function = module.getOrInsertFunction(name, builder.getInt16Ty(), type->getScalarType());
  if (lanes_of(type) == 1) return builder.CreateCall(function, value);
  llvm::Value* bits = llvm::PoisonValue::get(with_lanes_of(builder.getInt16Ty(), type));
  for (unsigned lane = 0; lane < lanes_of(type); ++lane)
    bits = builder.CreateInsertElement(bits, builder.CreateCall(function, builder.CreateExtractElement(value, lane)),
                                       lane);
  return bits;
}

Expansion expand_store(llvm::CallInst& call, const Shape& shape, bool aligned) {
  llvm::IRBuilder<> builder(&call);
  llvm::Value* value = call.getArgOperand(0);
  if (shape.half) value = half_bits(builder, value, shape.rounding);
  const Place place = place_of(builder, call.getArgOperand(2), call.getArgOperand(1), value->getType()->getScalarType(),
                               shape.lanes, shape.half && aligned);
  builder.CreateAlignedStore(value, place.address, place.alignment);
  return nullptr;
}

}  // namespace

Expansion expand_memory(llvm::CallInst& call, const SplitName& name) {
  if (name.base == "prefetch") return nullptr;
  llvm::StringRef base = name.base;
  const bool load = base.consume_front("vload");
  if (!load && !base.consume_front("vstore")) return std::nullopt;
  const bool aligned = base.starts_with("a_half") && base.consume_front("a");
  const auto shape = shape_of(base);
  if (!shape || call.arg_size() != (load ? 2 : 3)) return std::nullopt;
  const llvm::Type* vector = load ? call.getType() : call.getArgOperand(0)->getType();
  if (lanes_of(vector) != shape->lanes) return std::nullopt;
  return load ? expand_load(call, *shape, aligned) : expand_store(call, *shape, aligned);
}

}  // namespace skmd::codegen
