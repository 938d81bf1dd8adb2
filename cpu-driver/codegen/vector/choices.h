// SPDX-License-Identifier: Apache-2.0
// Decisions of passes by cost, kept with the function until they become remarks.
#pragma once

#include <llvm/ADT/Twine.h>
#include <llvm/IR/Function.h>

#include <string>
#include <vector>

namespace skmd::codegen {

/// Adds a text to those of `function`: what was chosen, and what that and the other costs. No more than 64 are kept.
void note_choice(llvm::Function& function, const llvm::Twine& text);

/// The texts, in the order in which they came; afterwards there are none.
std::vector<std::string> take_choices(llvm::Function& function);

}  // namespace skmd::codegen
