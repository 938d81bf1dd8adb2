// SPDX-License-Identifier: Apache-2.0
#include "compiler/opencl_c/print.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>

#include "compiler/opencl_c/printer.h"

namespace skmd::compiler {

namespace {

// Contraction is the programs' to forbid: by a pragma or an option, behind which the IR has no llvm.fmuladd.
bool may_contract(const llvm::Function& kernel) {
  return llvm::any_of(llvm::instructions(kernel), [](const llvm::Instruction& instruction) {
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::fmuladd;
  });
}

// "reqd_work_group_size(16,8,1)" for the sizes that the IR has for it.
std::string size_attribute(const llvm::Function& kernel, const char* name) {
  const llvm::MDNode* sizes = kernel.getMetadata(name);
  if (sizes == nullptr || sizes->getNumOperands() != 3) return {};
  std::string text;
  for (const llvm::MDOperand& operand : sizes->operands()) {
    const auto* size = llvm::mdconst::dyn_extract<llvm::ConstantInt>(operand);
    if (size == nullptr) return {};
    text += (text.empty() ? "" : ", ") + std::to_string(size->getZExtValue());
  }
  return "__attribute__((" + std::string(name) + "(" + text + "))) ";
}

// A kernel may have the name of a builtin that only its text calls.
bool calls(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name + "("); at != std::string::npos; at = text.find(name + "(", at + 1))
    if (at == 0 || (!llvm::isAlnum(text[at - 1]) && text[at - 1] != '_')) return true;
  return false;
}

domain::Error refused(const llvm::Function& kernel, const std::string& reason) {
  return {0, "kernel " + kernel.getName().str() + ": " + reason};
}

}  // namespace

domain::Result<PrintedKernel> print_opencl_c(const llvm::Function& kernel) {
  if (!kernel.getReturnType()->isVoidTy() || kernel.isVarArg() || kernel.isDeclaration())
    return refused(kernel, "it is no kernel with code");
  opencl_c::Printer printer(kernel);
  const std::string parameters = opencl_c::parameter_list(printer);
  opencl_c::print_blocks(printer);
  if (!printer.refusal.empty()) return refused(kernel, printer.refusal);
  if (calls(printer.body, kernel.getName().str())) return refused(kernel, "its text calls a builtin of its name");
  PrintedKernel printed;
  printed.text = printer.types.extensions() + printer.file + "kernel " +
                 size_attribute(kernel, "reqd_work_group_size") + size_attribute(kernel, "work_group_size_hint") +
                 "void " + kernel.getName().str() + "(" + parameters + ") {\n";
  if (!may_contract(kernel)) printed.text += "#pragma OPENCL FP_CONTRACT OFF\n";
  printed.text += printer.types.declarations() + printer.variables + printer.body + "}\n";
  return printed;
}

}  // namespace skmd::compiler
