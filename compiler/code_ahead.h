// SPDX-License-Identifier: Apache-2.0
// The CPU driver's code of a program, made while the program is analysed: who builds it will ask for the code next.
#pragma once

#include <llvm/IR/Module.h>

#include <optional>

#include "compiler/client/client.h"
#include "compiler/merge/child.h"

namespace skmd::compiler {

class CodeAhead {
 public:
  /// `module` and `answer` as they are before the analysis; both are copied. Does nothing if `request` is for no
  /// target.
  CodeAhead(const CompileRequest& request, llvm::Module& module, const CompileAnswer& answer);

  /// Waits for kernel_code and kernel_notes. Leaves both empty where a request for the code has to find out why there
  /// are none.
  void finish(CompileAnswer& answer);

 private:
  std::optional<Child> child_;
};

}  // namespace skmd::compiler
