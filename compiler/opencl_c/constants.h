// SPDX-License-Identifier: Apache-2.0
// Constants as text, exactly.
#pragma once

#include <llvm/IR/Constants.h>

#include <string>

#include "compiler/opencl_c/types.h"

namespace skmd::compiler::opencl_c {

/// "5u" for 5 of `bits` bits, with a cast where a literal has a wider type.
std::string integer_literal(std::uint64_t value, unsigned bits);

/// A number, a truth value, a vector of them or a null pointer; "" if it is something else.
std::string constant_text(const llvm::Constant& constant, Types& types);

/// The bytes of an initialiser; false if it has addresses.
bool bytes_of(const llvm::Constant& constant, const llvm::DataLayout& layout, std::string& bytes);

}  // namespace skmd::compiler::opencl_c
