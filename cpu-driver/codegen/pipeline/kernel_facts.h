// SPDX-License-Identifier: Apache-2.0
// What an artifact tells of a kernel besides its code.
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>

#include "cpu-driver/codegen/pipeline/kernel_work.h"

namespace skmd::codegen {

/// Of the code that was made: bytes of each item's memory, lanes, and groups that may run side by side.
struct CodeFacts {
  std::uint64_t item_bytes = 0;
  unsigned padding = 1;
  unsigned lane_groups = 0;
};

/// Adds the kernel's cpu::KernelFacts to `module`.
void add_facts(const KernelWork& work, llvm::Module& module, const CodeFacts& code);

/// The places of a checked kernel (cpu::sites_symbol).
void add_sites(const KernelWork& work, llvm::Module& module);

/// The cpu::YieldFacts of a yielding kernel.
void add_yields(const KernelWork& work, llvm::Module& module);

}  // namespace skmd::codegen
