// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/choices.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Metadata.h>

namespace skmd::codegen {

namespace {

constexpr llvm::StringLiteral kChoices = "skmd.choices";
constexpr unsigned kMaxChoices =
    64;  // of a function: each one that is added makes a node of all, for the context's life

}  // namespace

void note_choice(llvm::Function& function, const llvm::Twine& text) {
  llvm::SmallVector<llvm::Metadata*, 8> texts;
  const llvm::MDNode* before = function.getMetadata(kChoices);
  if (before != nullptr && before->getNumOperands() >= kMaxChoices) return;
  if (before != nullptr) texts.append(before->op_begin(), before->op_end());
  texts.push_back(llvm::MDString::get(function.getContext(), text.str()));
  function.setMetadata(kChoices, llvm::MDNode::get(function.getContext(), texts));
}

std::vector<std::string> take_choices(llvm::Function& function) {
  std::vector<std::string> texts;
  const llvm::MDNode* node = function.getMetadata(kChoices);
  if (node == nullptr) return texts;
  for (const llvm::MDOperand& text : node->operands())
    texts.push_back(llvm::cast<llvm::MDString>(text)->getString().str());
  function.setMetadata(kChoices, nullptr);
  return texts;
}

}  // namespace skmd::codegen
