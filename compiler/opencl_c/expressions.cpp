// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons, choices, and the way to the other expressions.
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/opencl_c/printer.h"

namespace skmd::compiler::opencl_c {

namespace {

using llvm::Instruction;
using llvm::Type;

const char* operator_of(unsigned opcode) {
  switch (opcode) {
    case Instruction::Add:
    case Instruction::FAdd:
      return " + ";
    case Instruction::Sub:
    case Instruction::FSub:
      return " - ";
    case Instruction::Mul:
    case Instruction::FMul:
      return " * ";
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::FDiv:
      return " / ";
    case Instruction::URem:
    case Instruction::SRem:
      return " % ";
    case Instruction::Shl:
      return " << ";
    case Instruction::LShr:
    case Instruction::AShr:
      return " >> ";
    case Instruction::And:
      return " & ";
    case Instruction::Or:
      return " | ";
    case Instruction::Xor:
      return " ^ ";
    default:
      return nullptr;
  }
}

bool is_signed(unsigned opcode) {
  return opcode == Instruction::SDiv || opcode == Instruction::SRem || opcode == Instruction::AShr;
}

// What is told of sums that do not overflow lets a compiler see that addresses of a loop follow each other. In the
// kernel's first block stands also what was moved there to be computed again, also where the program would not have
// come to it. What is frozen may overflow.
bool keeps_sign(const llvm::BinaryOperator& operation) {
  const unsigned opcode = operation.getOpcode();
  const Type& type = *operation.getType();
  return (opcode == Instruction::Add || opcode == Instruction::Sub || opcode == Instruction::Mul) &&
         operation.hasNoSignedWrap() && (type.isIntegerTy(32) || type.isIntegerTy(64)) &&
         !operation.getParent()->isEntryBlock() &&
         llvm::none_of(operation.users(), [](const llvm::User* user) { return llvm::isa<llvm::FreezeInst>(user); });
}

// Of single bits: int is wide enough for what the operators give, but for sums.
std::string truth_text(Printer& printer, const llvm::BinaryOperator& operation) {
  const std::string left = printer.value(*operation.getOperand(0)), right = printer.value(*operation.getOperand(1));
  switch (operation.getOpcode()) {
    case Instruction::And:
    case Instruction::Mul:
      return "(" + left + " & " + right + ")";
    case Instruction::Or:
      return "(" + left + " | " + right + ")";
    case Instruction::Xor:
    case Instruction::Add:
    case Instruction::Sub:
      if (const auto* one = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1)))
        return one->isZero() ? left : "(!" + left + ")";
      return "(" + left + " ^ " + right + ")";
    default:
      return printer.refuse(operation);
  }
}

std::string binary_text(Printer& printer, const llvm::BinaryOperator& operation) {
  const Type& type = *operation.getType();
  const unsigned opcode = operation.getOpcode();
  if (type.isIntegerTy(1)) return truth_text(printer, operation);
  const std::string name = printer.type(type);
  if (opcode == Instruction::FRem)
    return "fmod(" + printer.value(*operation.getOperand(0)) + ", " + printer.value(*operation.getOperand(1)) + ")";
  const char* sign = operator_of(opcode);
  if (sign == nullptr) return printer.refuse(operation);
  const bool bits = opcode == Instruction::And || opcode == Instruction::Or || opcode == Instruction::Xor;
  if (type.isIntOrIntVectorTy(1) && !bits) return printer.refuse(operation);
  if (is_signed(opcode) || keeps_sign(operation))
    return printer.from_signed(
        printer.signed_value(*operation.getOperand(0)) + sign + printer.signed_value(*operation.getOperand(1)), type);
  std::string left = printer.value(*operation.getOperand(0));
  const std::string right = printer.value(*operation.getOperand(1));
  // What is narrower than int becomes int, whose products and shifts may overflow.
  const bool narrow = type.isIntegerTy() && type.getIntegerBitWidth() < 32;
  if (narrow && !bits) left = "(uint)" + left;
  return narrow ? "((" + name + ")(" + left + sign + right + "))" : "(" + left + sign + right + ")";
}

std::string integer_comparison(Printer& printer, const llvm::CmpInst& comparison) {
  using llvm::CmpInst;
  const auto predicate = comparison.getPredicate();
  const char* sign = "";
  switch (predicate) {
    case CmpInst::ICMP_EQ:
      sign = " == ";
      break;
    case CmpInst::ICMP_NE:
      sign = " != ";
      break;
    case CmpInst::ICMP_UGT:
    case CmpInst::ICMP_SGT:
      sign = " > ";
      break;
    case CmpInst::ICMP_UGE:
    case CmpInst::ICMP_SGE:
      sign = " >= ";
      break;
    case CmpInst::ICMP_ULT:
    case CmpInst::ICMP_SLT:
      sign = " < ";
      break;
    default:
      sign = " <= ";
  }
  const llvm::Value &left = *comparison.getOperand(0), &right = *comparison.getOperand(1);
  if (left.getType()->isIntOrIntVectorTy(1) && !comparison.isEquality()) return printer.refuse(comparison);
  if (CmpInst::isSigned(predicate)) return "(" + printer.signed_value(left) + sign + printer.signed_value(right) + ")";
  return "(" + printer.value(left) + sign + printer.value(right) + ")";
}

// Where an operand is no number, ordered ones are false, unordered ones true.
std::string float_comparison(Printer& printer, const llvm::CmpInst& comparison) {
  using llvm::CmpInst;
  const std::string left = printer.value(*comparison.getOperand(0)), right = printer.value(*comparison.getOperand(1));
  const std::string negation = comparison.getType()->isVectorTy() ? "(~" : "(!";
  const auto both = [&](const char* sign) { return "(" + left + sign + right + ")"; };
  switch (comparison.getPredicate()) {
    case CmpInst::FCMP_OEQ:
      return both(" == ");
    case CmpInst::FCMP_OGT:
      return both(" > ");
    case CmpInst::FCMP_OGE:
      return both(" >= ");
    case CmpInst::FCMP_OLT:
      return both(" < ");
    case CmpInst::FCMP_OLE:
      return both(" <= ");
    case CmpInst::FCMP_ONE:
      return "islessgreater(" + left + ", " + right + ")";
    case CmpInst::FCMP_ORD:
      return "isordered(" + left + ", " + right + ")";
    case CmpInst::FCMP_UNO:
      return "isunordered(" + left + ", " + right + ")";
    case CmpInst::FCMP_UEQ:
      return negation + "islessgreater(" + left + ", " + right + "))";
    case CmpInst::FCMP_UGT:
      return negation + both(" <= ") + ")";
    case CmpInst::FCMP_UGE:
      return negation + both(" < ") + ")";
    case CmpInst::FCMP_ULT:
      return negation + both(" >= ") + ")";
    case CmpInst::FCMP_ULE:
      return negation + both(" > ") + ")";
    case CmpInst::FCMP_UNE:
      return both(" != ");
    default:
      return printer.refuse(comparison);
  }
}

std::string choice_text(Printer& printer, const llvm::SelectInst& choice) {
  const Type& type = *choice.getType();
  const std::string name = printer.type(type);
  const llvm::Value &yes = *choice.getTrueValue(), &no = *choice.getFalseValue();
  if (!choice.getCondition()->getType()->isVectorTy()) {
    const std::string text =
        printer.value(*choice.getCondition()) + " ? " + printer.value(yes) + " : " + printer.value(no);
    const bool narrow = type.isIntegerTy() && type.getIntegerBitWidth() < 32 && !type.isIntegerTy(1);
    return narrow ? "((" + name + ")(" + text + "))" : "(" + text + ")";
  }
  const unsigned bits = type.isIntOrIntVectorTy(1) ? 8 : type.getScalarSizeInBits();
  const std::string mask = mask_text(printer, *choice.getCondition(), bits);
  return "select(" + printer.value(no) + ", " + printer.value(yes) + ", " + mask + ")";
}

}  // namespace

std::string comparison_text(Printer& printer, const llvm::CmpInst& comparison) {
  return llvm::isa<llvm::ICmpInst>(comparison) ? integer_comparison(printer, comparison)
                                               : float_comparison(printer, comparison);
}

std::string expression(Printer& printer, const Instruction& instruction) {
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
    return binary_text(printer, *operation);
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return cast_text(printer, *cast);
  if (const auto* comparison = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
    const std::string text = comparison_text(printer, *comparison);
    if (!instruction.getType()->isVectorTy()) return text;
    return "convert_" + printer.type(*instruction.getType()) + "(" + text + ")";
  }
  if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) return choice_text(printer, *choice);
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return intrinsic_text(printer, *intrinsic);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return call_text(printer, *call);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load_text(printer, *load);
  if (const auto* extraction = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction))
    return extraction_text(printer, *extraction);
  if (const auto* insertion = llvm::dyn_cast<llvm::InsertElementInst>(&instruction))
    return insertion_text(printer, *insertion);
  if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction))
    return shuffle_text(printer, *shuffle);
  if (llvm::isa<llvm::GetElementPtrInst>(instruction)) return address_text(printer, instruction);
  switch (instruction.getOpcode()) {
    case Instruction::Freeze:
      return printer.value(*instruction.getOperand(0));
    case Instruction::FNeg:
      return "(-" + printer.value(*instruction.getOperand(0)) + ")";
    case Instruction::ExtractValue: {
      const auto& extract = llvm::cast<llvm::ExtractValueInst>(instruction);
      const auto* whole = llvm::dyn_cast<Instruction>(extract.getAggregateOperand());
      if (extract.getNumIndices() == 1 && whole != nullptr)
        return result_part(printer, *whole, extract.getIndices()[0]);
      return printer.refuse(instruction);
    }
    default:
      return printer.refuse(instruction);
  }
}

}  // namespace skmd::compiler::opencl_c
