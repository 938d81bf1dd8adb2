// SPDX-License-Identifier: Apache-2.0
// The commands of skmd-compile that make code of kernels (cpu-driver/codegen).
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <string_view>
#include <vector>

#include "compiler/client/client.h"
#include "partitioner/result.h"

namespace skmd::compiler {

/// What the command line says about code.
struct CodeSettings {
  std::string isa = "best";  // "sse", "avx2", "avx512", "avx512vbmi" or the best of this machine
  unsigned width = 0;        // lanes; 0: chosen
  std::string emit;          // "llvm", "vector-llvm", "asm", "remarks"; "": the artifact
  std::string kernel;        // "": all
  std::string file;          // the program's, for remarks
  bool check = false;        // accesses are checked
  bool places = true;        // remarks say where in the source
};

/// Whether `settings` can be followed; an error names what is wrong.
domain::Status check(const CodeSettings& settings);

/// What is to be printed; what kernels have no code, and why, goes to `complaints`.
domain::Result<std::string> kernel_code(llvm::Module& module, std::vector<std::string> kernels,
                                        const CodeSettings& settings, std::string& complaints);

/// Fills in what Stage::code asks for.
void add_kernel_code(llvm::Module& module, const CodeTarget& target, CompileAnswer& answer);

/// What is true of `answer` whatever happens to the code generator.
void assume_no_code(CompileAnswer& answer);

}  // namespace skmd::compiler
