// SPDX-License-Identifier: Apache-2.0
// The part of Expressions that looks into vectors: coordinates of images are vectors, and so are scalars that
// applications pass together.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include "compiler/analysis/analysis_constants.h"
#include "compiler/analysis/expressions.h"
#include "compiler/ir/builtin.h"

namespace skmd::compiler {

using domain::kNoNode;
using domain::NodeId;
using domain::Op;

NodeId Expressions::lane(llvm::ExtractElementInst& extract) {
  const auto* index = llvm::dyn_cast<llvm::ConstantInt>(extract.getIndexOperand());
  if (index == nullptr || index->getZExtValue() > 15) return kNoNode;
  return lane(extract.getVectorOperand(), static_cast<unsigned>(index->getZExtValue()), 0);
}

NodeId Expressions::lane(llvm::Value* vector, unsigned index) {
  const NodeId node = lane(vector, index, 0);
  return node != kNoNode ? node : nodes_.unknown(vector->getType()->getScalarType()->getIntegerBitWidth());
}

NodeId Expressions::lane(llvm::Value* vector, unsigned index, unsigned depth) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(vector->getType());
  if (type == nullptr || !type->getElementType()->isIntegerTy() || depth > tuning::kMaxVectorDepth) return kNoNode;
  const unsigned bits = type->getElementType()->getIntegerBitWidth();
  if (bits % 8 != 0 || bits > 64 || index >= type->getNumElements()) return kNoNode;
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(vector)) {
    const auto* element = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(index));
    return element == nullptr ? kNoNode : nodes_.constant(element->getSExtValue(), bits);
  }
  const unsigned byte = index * (bits / 8);
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(vector)) {
    return nodes_.argument(argument->getArgNo(), byte, bits);
  }
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(vector)) return by_value(load->getPointerOperand(), byte, bits);
  if (auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(vector)) {
    const auto* at = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
    if (at == nullptr) return kNoNode;
    return at->getZExtValue() == index ? of(insert->getOperand(1)) : lane(insert->getOperand(0), index, depth + 1);
  }
  if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(vector)) {
    const int from = shuffle->getMaskValue(index);
    const unsigned first = llvm::cast<llvm::FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements();
    if (from < 0) return kNoNode;
    const auto at = static_cast<unsigned>(from);
    return at < first ? lane(shuffle->getOperand(0), at, depth + 1)
                      : lane(shuffle->getOperand(1), at - first, depth + 1);
  }
  if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(vector)) {
    const auto op = op_of(*operation);
    const NodeId a = op ? lane(operation->getOperand(0), index, depth + 1) : kNoNode;
    const NodeId b = a == kNoNode ? kNoNode : lane(operation->getOperand(1), index, depth + 1);
    return b == kNoNode ? kNoNode : nodes_.binary(*op, a, b);
  }
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(vector)) {
    const NodeId value = lane(cast->getOperand(0), index, depth + 1);
    if (value == kNoNode) return kNoNode;
    if (cast->getOpcode() == llvm::Instruction::Trunc) return nodes_.cast(Op::trunc, value, bits);
    if (cast->getOpcode() == llvm::Instruction::SExt) return nodes_.cast(Op::sext, value, bits);
    return cast->getOpcode() == llvm::Instruction::ZExt ? nodes_.cast(Op::zext, value, bits) : kNoNode;
  }
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(vector);
      call != nullptr && builtin_of(*call).name == "get_image_dim") {
    return index < 3 ? image_extent(*call, index, bits) : kNoNode;
  }
  return kNoNode;
}

NodeId Expressions::image_extent(const llvm::CallBase& call, unsigned dimension, unsigned bits) {
  const auto* image = call.arg_empty() ? nullptr : llvm::dyn_cast<llvm::Argument>(call.getArgOperand(0));
  if (image == nullptr) return kNoNode;
  return nodes_.argument(image->getArgNo(), dimension * 8, bits);
}

// get_image_width and its relatives; the layers of an array are the dimension after its others.
NodeId Expressions::image_query(const llvm::CallBase& call, llvm::StringRef name) {
  const unsigned bits = call.getType()->isIntegerTy() ? call.getType()->getIntegerBitWidth() : 0;
  if (bits == 0 || bits > 64) return kNoNode;
  if (name == "get_image_width") return image_extent(call, 0, bits);
  if (name == "get_image_height") return image_extent(call, 1, bits);
  if (name == "get_image_depth") return image_extent(call, 2, bits);
  if (name != "get_image_array_size") return kNoNode;
  const auto shape = image_type_of(call.getArgOperand(0)->getType());
  return shape ? image_extent(call, shape->dimensions - 1, bits) : kNoNode;
}

}  // namespace skmd::compiler
