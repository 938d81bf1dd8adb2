// SPDX-License-Identifier: Apache-2.0
// OpenCL's builtin functions as code, and which of them exist for vectors.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>

#include <string>

#include "cpu-driver/codegen/isa.h"
#include "partitioner/base/result.h"

namespace skmd::codegen {

/// Whether calls of `name` (mangled, of scalars) stay calls until vectors are made: a vector form may exist. All
/// other builtins are linked and inlined before.
bool has_vector_form(llvm::StringRef name);

/// The mangled name of the function that does `width` lanes of `name` at once, declared in `module` and with vectors
/// for parameters and result; null: there is none for this processor and width (the caller goes by halves, or lane by
/// lane).
llvm::Function* vector_form(llvm::Module& module, llvm::StringRef name, unsigned width, Isa isa);

/// Makes instructions of the builtins that are instructions: vloadN, vstoreN and their forms for half, prefetch,
/// atomics, fences, any, all. Math functions of vectors become calls for each element; those that give a second result
/// through a pointer give it to a variable of the caller first; native_ and half_ functions become the precise ones.
/// The results of conversions to integers are frozen: out of range they are some value. To be called early;
/// link_library does it too.
void expand_builtins(llvm::Module& module);

/// Freezes the results of conversions from floating point to integers, which out of range would be poison.
void freeze_conversions(llvm::Function& function);

/// Makes `function` one for the processors of `isa`. Functions are only inlined into each other if all have this: it is
/// to be called for every function that has a body.
void set_processor(llvm::Function& function, Isa isa);

/// Which of the declared builtins are to be defined.
enum class Link : std::uint8_t { all_but_kept, all };

/// Defines the builtins that `module` declares and uses, and the functions that these call, all internal and, but for
/// those with a vector form, to be inlined always (llvm::AlwaysInlinerPass does it). Every function of the module with
/// a body gets `isa` by set_processor. An error names a mangled function that the library does not have; the module may
/// then have some of them. Ids, barriers and printf are not in the library; functions of images are under names of its
/// own (images.h). Other declarations without mangled names are left alone. The library adopts the module's triple
/// (any).
domain::Status link_library(llvm::Module& module, Isa isa, Link which);

}  // namespace skmd::codegen
