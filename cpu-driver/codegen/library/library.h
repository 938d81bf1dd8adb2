// SPDX-License-Identifier: Apache-2.0
// OpenCL's builtin functions as code, and which of them exist for vectors.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>

#include <string>

#include "cpu-driver/codegen/isa.h"
#include "partitioner/result.h"

namespace skmd::codegen {

/// Whether calls of `name` (mangled, of scalars) stay calls until vectors are made: a vector form may exist. All
/// other builtins are linked and inlined before.
bool has_vector_form(llvm::StringRef name);

/// The mangled name of the function that does `width` lanes of `name` at once, declared in `module` and with vectors
/// for parameters and result; null: there is none for this processor and width (the caller goes by halves, or lane by
/// lane).
llvm::Function* vector_form(llvm::Module& module, llvm::StringRef name, unsigned width, Isa isa);

/// Which of the declared builtins are to be defined.
enum class Link : std::uint8_t { all_but_kept, all };

/// Defines the builtins that `module` declares and uses, and whatever these need, all internal. An error names one that
/// the library does not have. Ids, barriers, printf and images are not in the library.
domain::Status link_library(llvm::Module& module, Isa isa, Link which);

}  // namespace skmd::codegen
