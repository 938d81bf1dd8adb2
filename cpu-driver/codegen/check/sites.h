// SPDX-License-Identifier: Apache-2.0
// The places of a kernel's code that are checked, as cpu::sites_symbol describes them.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>
#include <string>

#include "cpu-driver/codegen/check/extents.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

/// "line 7", "line 7 of sum.h", or "an unknown line".
std::string line_of(const llvm::Instruction& instruction);

/// One line of the text, with its end. `bytes`: that `access` accesses; it has to be in one of `extents`.
std::string site_of(const llvm::Instruction& access, std::uint64_t bytes, llvm::ArrayRef<Extent> extents);

/// The same of what is no access: `what` it does ("divides by zero").
std::string site_of(const llvm::Instruction& trap, const std::string& what, cpu::TrapKind kind);

}  // namespace skmd::codegen
