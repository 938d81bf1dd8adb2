// SPDX-License-Identifier: Apache-2.0
// A program's kernels as functions over spans, in LLVM IR.
#pragma once

#include <llvm/IR/Module.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cpu-driver/codegen/pipeline/generate.h"

namespace skmd::codegen {

struct BuildOptions : GenerateOptions {
  std::vector<std::string> by_items;           // kernels whose width is 1, independent of the others
  std::function<void(std::size_t number)> at;  // called with the next kernel's number, from 1; 0: common work
};

/// Brings `module`, as Clang made it, to this machine's target, with everything inlined into its kernels and builtins
/// as instructions where they are. Images stay what they are.
domain::Status prepare_program(llvm::Module& module);

/// How far to go.
enum class Until : std::uint8_t { items, spans };

/// Turns `module`, as Clang made it, into one that holds the functions and facts of span_code.h and what they use, for
/// the kernels whose note has no obstacle; until items: item functions named as their kernels instead.
domain::Result<std::vector<KernelNote>> build_kernels(llvm::Module& module, const std::vector<std::string>& kernels,
                                                      const BuildOptions& options, Until until);

}  // namespace skmd::codegen
