// SPDX-License-Identifier: Apache-2.0
// printf: calls become records, which the runtime formats (PrintTable in span_code.h).
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include "partitioner/base/result.h"

namespace skmd::codegen {

/// The prefix of the functions that calls of printf become. They access inaccessible memory only, which keeps their
/// order.
inline constexpr llvm::StringLiteral kPrintPrefix = "skmd.print.";

/// Calls of printf in `item` become calls of functions kPrintPrefix..., declared here, that take the elements of the
/// arguments one by one. `item`: values are in registers, so that formats are in sight. Gives whether there were any;
/// an error names what is no format.
domain::Result<bool> lower_prints(llvm::Function& item);

/// True if items that run `region` in lockstep would mix parts of their lines.
bool mixes_lines(llvm::Function& region);

/// Defines what lower_prints declared and is used, and the program's table of formats.
void define_prints(llvm::Module& module);

}  // namespace skmd::codegen
