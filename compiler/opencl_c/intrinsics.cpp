// SPDX-License-Identifier: Apache-2.0
// LLVM's intrinsics.
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/ir/lanes.h"
#include "compiler/opencl_c/constants.h"
#include "compiler/opencl_c/printer.h"

namespace skmd::compiler::opencl_c {

namespace {

using llvm::Intrinsic::ID;
namespace Intrinsic = llvm::Intrinsic;

// Functions of floating point that OpenCL C has under another name or the same.
const char* function_of(ID id) {
  switch (id) {
    case Intrinsic::fma:
      return "fma";
    case Intrinsic::fabs:
      return "fabs";
    case Intrinsic::sqrt:
      return "sqrt";
    case Intrinsic::minnum:
      return "fmin";
    case Intrinsic::maxnum:
      return "fmax";
    case Intrinsic::copysign:
      return "copysign";
    case Intrinsic::floor:
      return "floor";
    case Intrinsic::ceil:
      return "ceil";
    case Intrinsic::trunc:
      return "trunc";
    case Intrinsic::rint:
    case Intrinsic::nearbyint:
    case Intrinsic::roundeven:
      return "rint";
    case Intrinsic::round:
      return "round";
    default:
      return nullptr;
  }
}

// Functions of integers: the name, and whether its operands are signed.
struct IntegerFunction {
  const char* name = nullptr;
  bool is_signed = false;
};

IntegerFunction integer_function(ID id) {
  switch (id) {
    case Intrinsic::smin:
      return {"min", true};
    case Intrinsic::smax:
      return {"max", true};
    case Intrinsic::umin:
      return {"min", false};
    case Intrinsic::umax:
      return {"max", false};
    case Intrinsic::sadd_sat:
      return {"add_sat", true};
    case Intrinsic::ssub_sat:
      return {"sub_sat", true};
    case Intrinsic::uadd_sat:
      return {"add_sat", false};
    case Intrinsic::usub_sat:
      return {"sub_sat", false};
    default:
      return {};
  }
}

std::string with_commas(Printer& printer, const llvm::IntrinsicInst& intrinsic, unsigned count, bool is_signed) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    const llvm::Value& operand = *intrinsic.getArgOperand(i);
    text += (i == 0 ? "" : ", ") + (is_signed ? printer.signed_value(operand) : printer.value(operand));
  }
  return text;
}

// A literal of the operand's type: of all elements, for vectors.
std::string literal(Printer& printer, const llvm::Type& type, std::uint64_t value) {
  const std::string text = integer_literal(value, type.getScalarSizeInBits());
  return type.isVectorTy() ? "((" + printer.type(type) + ")(" + text + "))" : "(" + text + ")";
}

std::string back(Printer& printer, const llvm::Type& type, const std::string& text) {
  const std::string name = printer.type(type);
  return type.isIntegerTy() && type.getIntegerBitWidth() < 32 ? "((" + name + ")(" + text + "))" : "(" + text + ")";
}

// Amounts count modulo the width, which all shifts here are made to do.
std::string funnel_text(Printer& printer, const llvm::IntrinsicInst& intrinsic) {
  const llvm::Type& type = *intrinsic.getType();
  const bool left = intrinsic.getIntrinsicID() == Intrinsic::fshl;
  const std::string high = printer.value(*intrinsic.getArgOperand(0)), low = printer.value(*intrinsic.getArgOperand(1));
  const std::string amount = printer.value(*intrinsic.getArgOperand(2));
  if (left && intrinsic.getArgOperand(0) == intrinsic.getArgOperand(1)) return "rotate(" + high + ", " + amount + ")";
  const std::string mask = literal(printer, type, type.getScalarSizeInBits() - 1), one = literal(printer, type, 1);
  const std::string near = "(" + amount + " & " + mask + ")", far = "(~" + amount + " & " + mask + ")";
  // What is narrower than int is wider meanwhile: only bits of the type may go to the right.
  if (left)
    return back(printer, type, "(" + high + " << " + near + ") | ((" + low + " >> " + one + ") >> " + far + ")");
  return back(printer, type, "((" + high + " << " + one + ") << " + far + ") | (" + low + " >> " + near + ")");
}

std::string trailing_zeros(Printer& printer, const llvm::IntrinsicInst& intrinsic) {
  const llvm::Type& type = *intrinsic.getType();
  const std::string text = printer.value(*intrinsic.getArgOperand(0)), one = literal(printer, type, 1);
  if (!type.isIntegerTy()) return "popcount(~" + text + " & (" + text + " - " + one + "))";
  return "popcount(" + back(printer, type, "~" + text + " & (" + text + " - " + one + ")") + ")";
}

std::string swapped_bytes(Printer& printer, const llvm::IntrinsicInst& intrinsic) {
  const llvm::Type& type = *intrinsic.getType();
  const std::string text = printer.value(*intrinsic.getArgOperand(0));
  if (type.isIntegerTy(16)) return "as_ushort(as_uchar2(" + text + ").s10)";
  if (type.isIntegerTy(32)) return "as_uint(as_uchar4(" + text + ").s3210)";
  if (type.isIntegerTy(64)) return "as_ulong(as_uchar8(" + text + ").s76543210)";
  return printer.refuse(intrinsic);
}

std::string order_text(Printer& printer, const llvm::IntrinsicInst& intrinsic) {
  const bool is_signed = intrinsic.getIntrinsicID() == Intrinsic::scmp;
  const llvm::Type& type = *intrinsic.getType();
  const llvm::Type& operands = *intrinsic.getArgOperand(0)->getType();
  if (type.isVectorTy() || operands.isVectorTy() || operands.isIntegerTy(1)) return printer.refuse(intrinsic);
  const auto text = [&](unsigned i) {
    const llvm::Value& operand = *intrinsic.getArgOperand(i);
    return is_signed ? printer.signed_value(operand) : printer.value(operand);
  };
  return "((" + printer.type(type) + ")((" + text(0) + " > " + text(1) + ") - (" + text(0) + " < " + text(1) + ")))";
}

// Of vectors of single bits, which are 0 or -1 in chars.
std::string reduction_text(Printer& printer, const llvm::IntrinsicInst& intrinsic) {
  const llvm::Value& vector = *intrinsic.getArgOperand(0);
  const llvm::Type& type = *vector.getType();
  const ID id = intrinsic.getIntrinsicID();
  const std::string text = printer.value(vector);
  if (type.isIntOrIntVectorTy(1)) {
    if (id == Intrinsic::vector_reduce_or) return "any(" + text + ")";
    return id == Intrinsic::vector_reduce_and ? "all(" + text + ")" : printer.refuse(intrinsic);
  }
  const char* sign = id == Intrinsic::vector_reduce_add   ? " + "
                     : id == Intrinsic::vector_reduce_mul ? " * "
                     : id == Intrinsic::vector_reduce_and ? " & "
                     : id == Intrinsic::vector_reduce_or  ? " | "
                                                          : " ^ ";
  std::string all;
  for (unsigned i = 0; i < lanes_of(&type); ++i)
    all += (i == 0 ? "" : sign) + std::string("(uint)").substr(0, type.getScalarSizeInBits() < 32 ? 6 : 0) + text +
           ".s" + "0123456789abcdef"[i];
  return back(printer, *intrinsic.getType(), all);
}

}  // namespace

std::string intrinsic_text(Printer& printer, const llvm::IntrinsicInst& intrinsic) {
  const ID id = intrinsic.getIntrinsicID();
  const llvm::Type& type = *intrinsic.getType();
  if (id == Intrinsic::fmuladd)
    return "(" + printer.value(*intrinsic.getArgOperand(0)) + " * " + printer.value(*intrinsic.getArgOperand(1)) +
           " + " + printer.value(*intrinsic.getArgOperand(2)) + ")";
  if (const char* function = function_of(id)) {
    (void)printer.type(type);
    return std::string(function) + "(" + with_commas(printer, intrinsic, intrinsic.arg_size(), false) + ")";
  }
  if (type.isIntOrIntVectorTy(1) && id != Intrinsic::vector_reduce_or && id != Intrinsic::vector_reduce_and)
    return printer.refuse(intrinsic);
  if (!type.isVoidTy() && !type.isStructTy()) (void)printer.type(type);
  if (const IntegerFunction function = integer_function(id); function.name != nullptr) {
    const std::string text =
        std::string(function.name) + "(" + with_commas(printer, intrinsic, 2, function.is_signed) + ")";
    return function.is_signed ? printer.from_signed(text, type) : text;
  }
  switch (id) {
    case Intrinsic::abs:
      return "abs(" + printer.signed_value(*intrinsic.getArgOperand(0)) + ")";
    case Intrinsic::ctpop:
      return "popcount(" + printer.value(*intrinsic.getArgOperand(0)) + ")";
    case Intrinsic::ctlz:
      return "clz(" + printer.value(*intrinsic.getArgOperand(0)) + ")";
    case Intrinsic::cttz:
      return trailing_zeros(printer, intrinsic);
    case Intrinsic::bswap:
      return swapped_bytes(printer, intrinsic);
    case Intrinsic::fshl:
    case Intrinsic::fshr:
      return funnel_text(printer, intrinsic);
    case Intrinsic::scmp:
    case Intrinsic::ucmp:
      return order_text(printer, intrinsic);
    case Intrinsic::vector_reduce_add:
    case Intrinsic::vector_reduce_mul:
    case Intrinsic::vector_reduce_and:
    case Intrinsic::vector_reduce_or:
    case Intrinsic::vector_reduce_xor:
      return reduction_text(printer, intrinsic);
    default:
      return printer.refuse(intrinsic);
  }
}

std::string result_part(Printer& printer, const llvm::Instruction& instruction, unsigned part) {
  return printer.names.of(instruction) + "_" + std::to_string(part);
}

void print_overflow(Printer& printer, const llvm::IntrinsicInst& intrinsic) {
  const auto& checked = llvm::cast<llvm::WithOverflowInst>(intrinsic);
  const llvm::Type& type = *checked.getLHS()->getType();
  if (!type.isIntegerTy(32) && !type.isIntegerTy(64)) return (void)printer.refuse(intrinsic);
  const std::string name = printer.type(type), number = result_part(printer, intrinsic, 0);
  const std::string truth = result_part(printer, intrinsic, 1);
  printer.variables += "  " + name + " " + number + ";\n  bool " + truth + ";\n";
  const std::string a = printer.value(*checked.getLHS()), b = printer.value(*checked.getRHS());
  const std::string top = std::to_string(type.getIntegerBitWidth() - 1);
  const auto define = [&](const char* sign, const std::string& overflow) {
    printer.line(number + " = " + a + sign + b + ";");
    printer.line(truth + " = (" + overflow + ") != 0;");
  };
  const std::string signed_a = printer.signed_value(*checked.getLHS()),
                    signed_b = printer.signed_value(*checked.getRHS());
  switch (intrinsic.getIntrinsicID()) {
    case Intrinsic::uadd_with_overflow:
      return define(" + ", number + " < " + a);
    case Intrinsic::usub_with_overflow:
      return define(" - ", a + " < " + b);
    case Intrinsic::umul_with_overflow:
      return define(" * ", "mul_hi(" + a + ", " + b + ")");
    case Intrinsic::sadd_with_overflow:
      return define(" + ", "((" + a + " ^ " + number + ") & (" + b + " ^ " + number + ")) >> " + top);
    case Intrinsic::ssub_with_overflow:
      return define(" - ", "((" + a + " ^ " + b + ") & (" + a + " ^ " + number + ")) >> " + top);
    case Intrinsic::smul_with_overflow:
      return define(" * ", "mul_hi(" + signed_a + ", " + signed_b + ") != (" + printer.to_signed(number, type) +
                               " >> " + top + ")");
    default:
      return (void)printer.refuse(intrinsic);
  }
}

}  // namespace skmd::compiler::opencl_c
