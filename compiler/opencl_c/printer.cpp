// SPDX-License-Identifier: Apache-2.0
#include "compiler/opencl_c/printer.h"

#include <llvm/IR/Operator.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/opencl_c/constants.h"

namespace skmd::compiler::opencl_c {

// Quoted text may have parentheses of its own, and is left alone.
std::string bare(const std::string& text) {
  if (text.size() < 2 || text.front() != '(' || text.find('"') != std::string::npos) return text;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) return at + 1 == text.size() ? bare(text.substr(1, text.size() - 2)) : text;
  }
  return text;
}

std::string in_words(const llvm::Type& type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Printer::Printer(const llvm::Function& function)
    : kernel(function), layout(function.getParent()->getDataLayout()), names(function), placement(function) {}

std::string Printer::refuse(const std::string& reason) {
  if (refusal.empty()) refusal = reason;
  return "0";
}

std::string Printer::refuse(const llvm::Instruction& instruction) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  instruction.print(stream);
  return refuse("there is no OpenCL C text for the instruction" + text);
}

std::string Printer::type(const llvm::Type& type) {
  std::string name = types.name(type);
  if (name.empty()) (void)refuse("there is no type of OpenCL C for " + in_words(type));
  return name;
}

std::string Printer::value(const llvm::Value& value) {
  if (llvm::isa<llvm::GlobalVariable, llvm::AllocaInst>(value))
    return "((" + type(*value.getType()) + ")" + declare_variable(*this, value) + ")";
  if (llvm::isa<llvm::Argument>(value)) return declare_variable(*this, value);
  if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value))
    return placement.is_inside(*instruction) ? expression(*this, *instruction) : declared(*instruction);
  if (llvm::isa<llvm::GEPOperator>(value)) return address_text(*this, value);
  const auto* constant = llvm::dyn_cast<llvm::Constant>(&value);
  if (constant == nullptr) return refuse("there is no OpenCL C text for a value of type " + in_words(*value.getType()));
  std::string text = constant_text(*constant, types);
  if (!text.empty()) return text;
  // The number of a variable's address, which states of pointers are counted from.
  const auto* address = llvm::dyn_cast<llvm::ConstantExpr>(constant);
  if (address != nullptr && address->getOpcode() == llvm::Instruction::PtrToInt && address->getType()->isIntegerTy(64))
    return "((ulong)" + this->value(*address->getOperand(0)) + ")";
  std::string words;
  llvm::raw_string_ostream stream(words);
  constant->print(stream);
  return refuse("there is no OpenCL C text for the constant " + words);
}

std::string Printer::declared(const llvm::Instruction& instruction) {
  std::string name = names.of(instruction);
  if (declared_.insert(&instruction).second) variables += "  " + type(*instruction.getType()) + " " + name + ";\n";
  return name;
}

std::string Printer::variable(const llvm::Type& type) {
  std::string name = names.fresh();
  variables += "  " + this->type(type) + " " + name + ";\n";
  return name;
}

void Printer::assign(const llvm::Instruction& result, const std::string& text) {
  line(result.use_empty() ? "(void)" + text + ";" : declared(result) + " = " + bare(text) + ";");
}

std::string Printer::to_signed(const std::string& text, const llvm::Type& type) {
  const std::string name = types.signed_name(type);
  if (name.empty()) return refuse("there is no type of OpenCL C for " + in_words(type));
  return type.isVectorTy() ? "as_" + name + "(" + text + ")" : "(" + name + ")" + text;
}

std::string Printer::from_signed(const std::string& text, const llvm::Type& type) {
  const std::string name = this->type(type);
  return type.isVectorTy() ? "as_" + name + "(" + text + ")" : "((" + name + ")(" + text + "))";
}

std::string Printer::signed_value(const llvm::Value& value) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value);
  if (number != nullptr && value.getType()->isIntegerTy(32) && number->getSExtValue() > -0xFFFF &&
      number->getSExtValue() < 0x7FFFFFFF)
    return number->isNegative() ? "(" + std::to_string(number->getSExtValue()) + ")"
                                : std::to_string(number->getSExtValue());
  const std::string text = to_signed(this->value(value), *value.getType());
  return value.getType()->isVectorTy() ? text : "(" + text + ")";
}

}  // namespace skmd::compiler::opencl_c
