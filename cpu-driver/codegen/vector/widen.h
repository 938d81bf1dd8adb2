// SPDX-License-Identifier: Apache-2.0
// From the masked form (item_function.h) to vectors.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <functional>
#include <string>
#include <vector>

#include "cpu-driver/codegen/isa.h"
#include "partitioner/base/result.h"

namespace skmd::codegen {

/// The function that does `width` lanes of the builtin `name` at once; null: there is none. See library.h.
using VectorForms = std::function<llvm::Function*(llvm::Module& module, llvm::StringRef name, unsigned width, Isa isa)>;

struct WidenOptions {
  Isa isa = Isa::avx512;
  unsigned width = 16;  // lanes, a power of two from 2 to 32
  /// All lanes' items exist: the function has no parameter for it. Else it is a vector of i1.
  bool full = true;
  VectorForms vector_form;  // empty: math builtins are called lane by lane
  /// Accesses of local memory that lanes make one by one are counted here.
  unsigned* apart = nullptr;
  std::vector<std::string>* remarks = nullptr;  // "line:column: text" for each access and call that vectors do not suit
};

/// A new function that does the work of `width` neighbouring lanes of `masked`, which stays as it is: the parameters of
/// `masked` (that with kLane: the first lane's), without the last, and <width x i1> if not `full`. `analyses` has
/// every function analysis registered. An error names what cannot be widened.
///
/// Masked accesses in the result are calls of declarations until lower_masked (lower_masked.h) has run.
domain::Result<llvm::Function*> widen(llvm::Function& masked, const WidenOptions& options,
                                      llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::codegen
