// SPDX-License-Identifier: Apache-2.0
// The CPU driver's code of a program, made while the program is analysed: the build will request the code next.
#pragma once

#include <llvm/IR/Module.h>

#include <optional>

#include "compiler/client/client.h"
#include "compiler/ir/child.h"

namespace skmd::compiler {

class CodeAhead {
 public:
  /// `module` and `answer` as they are before the analysis; both are copied. Does nothing if `request` is for no
  /// target.
  CodeAhead(const CompileRequest& request, llvm::Module& module, const CompileAnswer& answer);

  /// Blocks until kernel_code and kernel_notes are there. Leaves both empty on failure: the request for the code then
  /// finds the reason.
  void finish(CompileAnswer& answer);

 private:
  std::optional<Child> child_;
};

}  // namespace skmd::compiler
