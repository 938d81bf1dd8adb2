// SPDX-License-Identifier: Apache-2.0
// print_ir FILE.ll: the OpenCL C text of each kernel in LLVM IR, as it is there, or why it has none.
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <iostream>

#include "compiler/opencl_c/print.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(arguments[1], problem, context);
  if (!module) {
    problem.print("print_ir", llvm::errs());
    return 2;
  }
  bool all = true;
  for (const llvm::Function& kernel : *module) {
    if (kernel.isDeclaration()) continue;
    const auto printed = skmd::compiler::print_opencl_c(kernel);
    if (printed)
      std::cout << printed->text << "\n";
    else
      std::cout << "no text: " << printed.error().reason << "\n";
    all = all && printed.ok();
  }
  return all ? 0 : 1;
}
