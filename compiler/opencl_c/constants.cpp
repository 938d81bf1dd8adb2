// SPDX-License-Identifier: Apache-2.0
#include "compiler/opencl_c/constants.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DataLayout.h>

namespace skmd::compiler::opencl_c {

namespace {

// Clang writes the null pointer of local and private memory as the generic one, cast.
bool is_null(const llvm::Constant& constant) {
  const auto* cast = llvm::dyn_cast<llvm::ConstantExpr>(&constant);
  const bool moves = cast != nullptr && cast->getOpcode() == llvm::Instruction::AddrSpaceCast;
  return moves ? is_null(*cast->getOperand(0)) : constant.isNullValue();
}

std::string float_text(const llvm::ConstantFP& constant, Types& types) {
  const llvm::Type& type = *constant.getType();
  const llvm::APFloat& value = constant.getValueAPF();
  const llvm::APInt bits = value.bitcastToAPInt();
  const std::string name = types.name(type);
  if (name.empty()) return {};
  // Options of a build may read literals of double as float, and take denormals or signs for something else.
  if (!type.isFloatTy() || value.isDenormal() || !value.isFinite() || value.isNegZero())
    return "as_" + name + "(" + integer_literal(bits.getZExtValue(), bits.getBitWidth()) + ")";
  char digits[64];
  value.convertToHexString(digits, 0, false, llvm::APFloat::rmNearestTiesToEven);
  const std::string text = std::string(digits) + "f";
  return value.isNegative() ? "(" + text + ")" : text;
}

std::string vector_text(const llvm::Constant& constant, Types& types) {
  const auto* type = llvm::cast<llvm::FixedVectorType>(constant.getType());
  const std::string name = types.name(*type);
  if (name.empty()) return {};
  std::string all;
  bool same = true;
  const llvm::Constant* first = constant.getAggregateElement(0u);
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    const llvm::Constant* element = constant.getAggregateElement(i);
    if (element == nullptr) return {};
    std::string text;
    if (type->getElementType()->isIntegerTy(1))
      text = element->isOneValue() ? "-1" : "0";
    else
      text = constant_text(*element, types);
    if (text.empty()) return {};
    same = same && element == first;
    all += (i == 0 ? "" : ", ") + text;
    if (i + 1 == type->getNumElements() && same) return "((" + name + ")(" + text + "))";
  }
  return "((" + name + ")(" + all + "))";
}

bool add_scalar(const llvm::APInt& value, std::string& bytes) {
  if (value.getBitWidth() % 8 != 0) return false;
  for (unsigned at = 0; at < value.getBitWidth(); at += 8)
    bytes += static_cast<char>(value.extractBitsAsZExtValue(8, at));
  return true;
}

bool add_parts(const llvm::Constant& constant, const llvm::DataLayout& layout, std::string& bytes) {
  const std::size_t begin = bytes.size();
  llvm::Type* type = constant.getType();
  const auto* record = llvm::dyn_cast<llvm::StructType>(type);
  const unsigned count = record != nullptr   ? record->getNumElements()
                         : type->isArrayTy() ? static_cast<unsigned>(type->getArrayNumElements())
                                             : llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  for (unsigned i = 0; i < count; ++i) {
    if (record != nullptr)
      bytes.resize(begin + layout.getStructLayout(const_cast<llvm::StructType*>(record))->getElementOffset(i));
    if (type->isArrayTy()) bytes.resize(begin + i * layout.getTypeAllocSize(type->getArrayElementType()));
    const llvm::Constant* part = constant.getAggregateElement(i);
    if (part == nullptr || !bytes_of(*part, layout, bytes)) return false;
  }
  bytes.resize(begin + layout.getTypeAllocSize(type));
  return true;
}

}  // namespace

std::string integer_literal(std::uint64_t value, unsigned bits) {
  const std::string digits = value > 0xFFFF ? "0x" + llvm::utohexstr(value, true) : std::to_string(value);
  if (bits == 64) return digits + "ul";
  const std::string text = digits + "u";
  return bits == 32 ? text : "(" + integer_name(bits, false) + ")" + text;
}

std::string constant_text(const llvm::Constant& constant, Types& types) {
  const llvm::Type& type = *constant.getType();
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&constant); number != nullptr && !type.isVectorTy())
    return float_text(*number, types);
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant); number != nullptr && !type.isVectorTy()) {
    if (type.isIntegerTy(1)) return number->isZero() ? "false" : "true";
    if (types.name(type).empty()) return {};
    const std::string text = integer_literal(number->getZExtValue(), type.getIntegerBitWidth());
    return text.front() == '(' ? "(" + text + ")" : text;
  }
  if (type.isPointerTy() && (llvm::isa<llvm::UndefValue>(constant) || is_null(constant))) {
    const std::string name = types.name(type);
    return name.empty() ? name : "((" + name + ")0)";
  }
  if (llvm::isa<llvm::FixedVectorType>(type)) return vector_text(constant, types);
  if (llvm::isa<llvm::UndefValue>(constant) && (type.isIntegerTy() || type.isFloatingPointTy()))
    return constant_text(*llvm::Constant::getNullValue(constant.getType()), types);
  return {};
}

bool bytes_of(const llvm::Constant& constant, const llvm::DataLayout& layout, std::string& bytes) {
  llvm::Type* type = constant.getType();
  if (llvm::isa<llvm::UndefValue>(constant) || constant.isNullValue()) {
    bytes.resize(bytes.size() + layout.getTypeAllocSize(type));
    return true;
  }
  if (type->isAggregateType() || llvm::isa<llvm::FixedVectorType>(type)) return add_parts(constant, layout, bytes);
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant)) return add_scalar(number->getValue(), bytes);
  const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&constant);
  return number != nullptr && add_scalar(number->getValueAPF().bitcastToAPInt(), bytes);
}

}  // namespace skmd::compiler::opencl_c
