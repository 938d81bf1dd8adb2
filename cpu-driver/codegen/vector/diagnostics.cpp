// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/diagnostics.h"

#include <llvm/IR/Instructions.h>

#include "cpu-driver/codegen/source_position.h"

namespace skmd::codegen {

domain::Error unsupported(const llvm::Instruction& source, const char* why) {
  std::string text = std::string(why) + ": " + source.getOpcodeName();
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&source);
      call != nullptr && call->getCalledFunction() != nullptr)
    text += " " + call->getCalledFunction()->getName().str();
  return domain::Error{0, with_position(source.getDebugLoc(), text)};
}

void Remarks::add(const llvm::Instruction& source, const std::string& text) const {
  if (texts_ == nullptr) return;
  texts_->push_back(position_of(source.getDebugLoc()) + ": " + text);
}

}  // namespace skmd::codegen
