// SPDX-License-Identifier: Apache-2.0
#include "compiler/opencl_c/names.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

namespace skmd::compiler::opencl_c {

Names::Names(const llvm::Function& kernel)
    : file_scope_("skmd" + std::to_string(kernel.getName().size()) + "_" + kernel.getName().str() + "_") {
  taken_.insert(kernel.getName().str());
  for (const llvm::BasicBlock& block : kernel) labels_[&block] = static_cast<unsigned>(labels_.size());
}

std::string Names::readable(const std::string& prefix, llvm::StringRef name) {
  std::string text = prefix;
  for (const char c : name) text += llvm::isAlnum(c) ? c : '_';
  std::string made = text;
  for (unsigned number = 1; !taken_.insert(made).second; ++number) made = text + "_" + std::to_string(number);
  return made;
}

std::string Names::of(const llvm::Value& value) {
  const auto [place, is_new] = values_.try_emplace(&value);
  if (!is_new) return place->second;
  std::string made;
  if (llvm::isa<llvm::Argument>(value))
    made = readable("p_", value.getName());
  else if (llvm::isa<llvm::GlobalVariable>(value))
    made = readable(at_file_scope("g_"), value.getName());
  else if (llvm::isa<llvm::AllocaInst>(value))
    made = readable("a_", value.getName());
  else
    made = fresh();
  values_[&value] = made;
  return made;
}

std::string Names::label(const llvm::BasicBlock& block) const {
  return "block" + std::to_string(labels_.find(&block)->second);
}

std::string Names::fresh() {
  std::string made;
  do made = "v" + std::to_string(next_++);
  while (!taken_.insert(made).second);
  return made;
}

}  // namespace skmd::compiler::opencl_c
