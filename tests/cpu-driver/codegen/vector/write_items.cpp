// SPDX-License-Identifier: Apache-2.0
// write_items FIRST COUNT: a module of random item functions, each as @fN, which is to be masked and widened, and as
// @refN, which is to run as it is.
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstdlib>

#include "cpu-driver/codegen/item_function.h"
#include "tests/cpu-driver/codegen/masks/random_item.h"

int main(int count, char** values) {
  if (count != 3) return 2;
  llvm::LLVMContext context;
  llvm::Module module("items", context);
  module.setDataLayout("e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128");
  const std::uint64_t first = std::strtoull(values[1], nullptr, 10);
  const std::uint64_t many = std::strtoull(values[2], nullptr, 10);
  for (std::uint64_t at = 0; at < many; ++at) {
    llvm::Function* item = skmd::test::create_random_item(module, first + at);
    item->setName("f" + std::to_string(at));
    item->setLinkage(llvm::GlobalValue::InternalLinkage);
    llvm::ValueToValueMapTy map;
    llvm::Function* reference = llvm::CloneFunction(item, map);
    reference->setName("ref" + std::to_string(at));
    reference->removeFnAttr(skmd::codegen::kItem);
  }
  module.print(llvm::outs(), nullptr);
  return 0;
}
