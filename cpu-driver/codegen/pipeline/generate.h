// SPDX-License-Identifier: Apache-2.0
// From kernels to span code (cpu-driver/span_code.h): the entry of the code generator.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "compiler/yield/yield.h"
#include "cpu-driver/codegen/isa.h"
#include "partitioner/base/result.h"

namespace skmd::codegen {

struct GenerateOptions {
  Isa isa = Isa::avx512;
  unsigned width = 0;    // lanes; 0: as many as suit the kernel and `isa`; 1: item by item
  bool checked = false;  // every access of memory that is not the work-item's own is checked (check/checks.h)
  /// Kernels can be stopped inside of groups (cpu-driver/yield_facts.h); those that cannot have no code.
  compiler::Yields yields = compiler::Yields::none;
};

/// The result for one kernel.
struct KernelNote {
  std::string name;
  std::string obstacle;              // why it has no code; "": it has
  std::vector<std::string> remarks;  // "file:line:column: text" (as far as known): what is vectorised or not, why
  std::string yields = {};           // with GenerateOptions::yields: the kernel's yield points, in lines
};

struct Generated {
  std::string code;  // the artifact; "": no kernel has code
  std::vector<KernelNote> notes;
};

/// Consumes `module`, which Clang made of a program for SPIR.
Generated generate(llvm::Module& module, const std::vector<std::string>& kernels, const GenerateOptions& options);

/// Intermediate forms that can be printed.
enum class Listing : std::uint8_t {
  items,     // each kernel as the code of one work-item, LLVM IR
  spans,     // as it goes to code generation, LLVM IR
  assembly,  // the processor's
  remarks,   // what became of each kernel, in words
  yields,    // where each kernel can be stopped, and what is kept there
};

/// The same up to there, as text, in this process.
domain::Result<std::string> list(llvm::Module& module, const std::vector<std::string>& kernels,
                                 const GenerateOptions& options, Listing listing);

}  // namespace skmd::codegen
