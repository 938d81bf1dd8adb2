// SPDX-License-Identifier: Apache-2.0
// Accesses to memory as text.
#pragma once

#include "compiler/opencl_c/printer.h"

namespace skmd::compiler::opencl_c {

struct Access {
  const llvm::Type* type = nullptr;
  std::uint64_t align = 1;  // bytes
  bool any = true;          // other accesses to the same memory may be by other types
  bool is_volatile = false;
};

/// What a load or a store accesses, as an expression that can be assigned to.
std::string access_text(Printer& printer, const llvm::Value& pointer, const Access& access);
/// In parentheses if it is more than a word.
std::string parenthesised(const std::string& text);

}  // namespace skmd::compiler::opencl_c
