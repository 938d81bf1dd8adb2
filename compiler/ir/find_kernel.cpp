// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/find_kernel.h"

namespace skmd::compiler {

llvm::Function* find_kernel(llvm::Module& module, const std::string& name) {
  llvm::Function* function = module.getFunction(name);
  if (function == nullptr || function->isDeclaration()) function = module.getFunction("__clang_ocl_kern_imp_" + name);
  return function == nullptr || function->isDeclaration() ? nullptr : function;
}

}  // namespace skmd::compiler
