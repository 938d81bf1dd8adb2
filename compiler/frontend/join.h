// SPDX-License-Identifier: Apache-2.0
// Units of a linked program as one text.
#pragma once

#include <llvm/IR/LLVMContext.h>

#include <string>
#include <vector>

#include "compiler/client/client.h"
#include "compiler/client/options.h"
#include "partitioner/traits/traits.h"

namespace skmd::compiler {

/// Texts that are equivalent to the linked units if they compile; to be tried in this order. Empty: equivalence is not
/// certain. Precondition: `units` are preprocessed, and each compiles by itself.
/// - The units one behind the other: where no unit declares what another takes for the language's.
/// - The same as a linker would see them: a type that several units define in the same way is there once, and a type, a
///   static function or a static variable that is another one elsewhere has a name of its own, `name_skmd_unit1`.
std::vector<std::string> joined_texts(const std::vector<std::string>& units, const Language& language,
                                      const Options& options, llvm::LLVMContext& context);

/// Restores the application's names of types and parameters.
void forget_own_names(std::vector<domain::KernelTraits>& kernels);

}  // namespace skmd::compiler
