// SPDX-License-Identifier: Apache-2.0
// Conversions.
#include "compiler/ir/lanes.h"
#include "compiler/opencl_c/constants.h"
#include "compiler/opencl_c/printer.h"

namespace skmd::compiler::opencl_c {

namespace {

using llvm::Instruction;
using llvm::Type;

// C's conversion, or the function that does it for vectors.
std::string converted(const std::string& text, const std::string& name, bool vector) {
  return vector ? "convert_" + name + "(" + text + ")" : "((" + name + ")" + text + ")";
}

std::string from_truth(Printer& printer, const llvm::CastInst& cast) {
  const llvm::Value& operand = *cast.getOperand(0);
  const Type& type = *cast.getType();
  const std::string name = printer.type(type);
  const unsigned opcode = cast.getOpcode();
  if (type.isVectorTy()) {
    const std::string mask = mask_text(printer, operand, type.getScalarSizeInBits());
    switch (opcode) {
      case Instruction::SExt:
        return "as_" + name + "(" + mask + ")";
      case Instruction::ZExt:
        return "(as_" + name + "(" + mask + ") & (" + name + ")(" + integer_literal(1, type.getScalarSizeInBits()) +
               "))";
      case Instruction::SIToFP:
        return "convert_" + name + "(" + mask + ")";
      case Instruction::UIToFP:
        return "convert_" + name + "(-" + mask + ")";  // of integers: 0 has no sign
      default:
        return printer.refuse(cast);
    }
  }
  const std::string text = printer.value(operand);
  if (opcode == Instruction::ZExt || opcode == Instruction::UIToFP) return "((" + name + ")" + text + ")";
  // -1 of any width, and 0.
  if (opcode == Instruction::SExt || opcode == Instruction::SIToFP) return "((" + name + ")-(int)" + text + ")";
  return printer.refuse(cast);
}

std::string to_truth(Printer& printer, const llvm::CastInst& cast) {
  const llvm::Value& operand = *cast.getOperand(0);
  if (cast.getOpcode() != Instruction::Trunc) return printer.refuse(cast);
  const unsigned bits = operand.getType()->getScalarSizeInBits();
  if (!cast.getType()->isVectorTy())
    return "((" + printer.value(operand) + " & " + integer_literal(1, bits < 32 ? 32 : bits) + ") != 0)";
  const std::string name = printer.type(*operand.getType());
  return "convert_" + printer.type(*cast.getType()) + "((" + printer.value(operand) + " & (" + name + ")(" +
         integer_literal(1, bits) + ")) != (" + name + ")(" + integer_literal(0, bits) + "))";
}

std::string bits_text(Printer& printer, const llvm::CastInst& cast) {
  const Type &from = *cast.getSrcTy(), &to = *cast.getDestTy();
  const std::string text = printer.value(*cast.getOperand(0));
  if (&from == &to || from.isPointerTy()) return text;
  if (from.isIntOrIntVectorTy(1) || to.isIntOrIntVectorTy(1)) return printer.refuse(cast);
  // Three elements are four to as_type.
  const bool three = lanes_of(&from) == 3 || lanes_of(&to) == 3;
  if (three && lanes_of(&from) != lanes_of(&to)) return printer.refuse(cast);
  (void)printer.type(from);
  return "as_" + printer.type(to) + "(" + text + ")";
}

std::string address_cast(Printer& printer, const llvm::CastInst& cast) {
  const Type& integer = cast.getOpcode() == Instruction::PtrToInt ? *cast.getDestTy() : *cast.getSrcTy();
  if (!integer.isIntegerTy(64)) return printer.refuse(cast);
  return "((" + printer.type(*cast.getType()) + ")" + printer.value(*cast.getOperand(0)) + ")";
}

}  // namespace

bool is_signed_extension(const llvm::CastInst& cast) {
  if (cast.getOpcode() == Instruction::SExt) return true;
  return cast.getOpcode() == Instruction::ZExt && !cast.getType()->isVectorTy() && cast.hasNonNeg();
}

std::string cast_text(Printer& printer, const llvm::CastInst& cast) {
  const llvm::Value& operand = *cast.getOperand(0);
  const Type& type = *cast.getType();
  const bool vector = type.isVectorTy();
  const unsigned opcode = cast.getOpcode();
  if (opcode == Instruction::BitCast) return bits_text(printer, cast);
  if (opcode == Instruction::PtrToInt || opcode == Instruction::IntToPtr) return address_cast(printer, cast);
  if (opcode == Instruction::AddrSpaceCast) return printer.refuse(cast);
  if (operand.getType()->isIntOrIntVectorTy(1)) return from_truth(printer, cast);
  if (type.isIntOrIntVectorTy(1)) return to_truth(printer, cast);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&operand);
      load != nullptr && opcode == Instruction::FPExt && is_load_of_half(*load) && printer.placement.is_inside(*load))
    return half_load_text(printer, *load, type);
  const std::string name = printer.type(type);
  if (is_signed_extension(cast)) {
    const std::string wide = converted(printer.signed_value(operand), printer.types.signed_name(type), vector);
    return printer.from_signed(wide, type);
  }
  switch (opcode) {
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::FPTrunc:
    case Instruction::FPExt:
    case Instruction::UIToFP:
    case Instruction::FPToUI:
      return converted(printer.value(operand), name, vector);
    case Instruction::SIToFP:
      return converted(printer.signed_value(operand), name, vector);
    case Instruction::FPToSI: {
      const std::string number = converted(printer.value(operand), printer.types.signed_name(type), vector);
      return printer.from_signed(number, type);
    }
    default:
      return printer.refuse(cast);
  }
}

}  // namespace skmd::compiler::opencl_c
