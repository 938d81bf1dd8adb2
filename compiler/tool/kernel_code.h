// SPDX-License-Identifier: Apache-2.0
// The commands of skmd-compile that make code of kernels (cpu-driver/codegen).
#pragma once

#include <llvm/IR/Module.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/client/client.h"
#include "partitioner/base/result.h"

namespace skmd::compiler {

/// Settings for code from the command line.
struct CodeSettings {
  std::string isa = "best";  // "sse", "avx2", "avx512", "avx512vbmi" or the best of this machine
  unsigned width = 0;        // lanes; 0: chosen
  std::string emit;          // "llvm", "vector-llvm", "asm", "remarks"; "": the artifact
  std::string kernel;        // "": all
  std::string file;          // the program's, for remarks
  bool check = false;        // accesses are checked
  bool places = true;        // remarks say where in the source
  std::string yields;  // kernels can be stopped inside of groups, in "long" loops or "every" loop, or where they may
                       // trap ("traps"); "": they cannot
};

/// "long", "every", or "" for none; nothing for other names.
std::optional<Yields> yields_of(std::string_view name);

/// Checks `settings`; an error names the wrong value.
domain::Status check(const CodeSettings& settings);

/// The text to print; the kernels without code, and why, are added to `complaints`.
domain::Result<std::string> kernel_code(llvm::Module& module, std::vector<std::string> kernels,
                                        const CodeSettings& settings, std::string& complaints);

/// Sets the fields of Stage::code in `answer`.
void add_kernel_code(llvm::Module& module, const CodeTarget& target, CompileAnswer& answer);

/// Sets `answer` to what holds if the code generator crashes: no kernel has code.
void assume_no_code(CompileAnswer& answer);

}  // namespace skmd::compiler
