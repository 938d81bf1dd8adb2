// SPDX-License-Identifier: Apache-2.0
// printf: calls become records, which the runtime makes text of (PrintTable in span_code.h).
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include "partitioner/result.h"

namespace skmd::codegen {

/// Their effect is seen nowhere in memory, but in order.
inline constexpr llvm::StringLiteral kPrintPrefix = "skmd.print.";

/// Calls of printf in `item` become calls of functions kPrintPrefix..., declared here, that take the elements of the
/// arguments one by one. `item`: values are in registers, so that formats are in sight. Gives whether there were any;
/// an error names what is no format.
domain::Result<bool> lower_prints(llvm::Function& item);

/// Whether items that go through `region` in step would get parts of each other's lines.
bool mixes_lines(llvm::Function& region);

/// Defines what lower_prints declared and is used, and the program's table of formats.
void define_prints(llvm::Module& module);

}  // namespace skmd::codegen
