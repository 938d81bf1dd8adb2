// SPDX-License-Identifier: Apache-2.0
// A request to its reply: the whole of skmd-compile but its command line.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <memory>
#include <vector>

#include "compiler/client/codec.h"

namespace skmd::compiler {

/// What fills in the kernels' traits and the code made from them (analyse.h, merge.h). Given, so that the front end
/// does not depend on it.
using Analysis = std::function<void(llvm::Module&, CompileAnswer&)>;

/// Gets the reply before the analysis: complete but for what that fills in.
using Checkpoint = std::function<void(const Reply&)>;

struct Compiled {
  Reply reply;
  std::string marked_text;               // partition-ready, with line markers
  std::unique_ptr<llvm::Module> module;  // for an analysed program; as Clang made it, if there was no analysis
};

/// Relative paths are looked up from the process's working directory: the caller changes to the request's.
Compiled compile(const CompileRequest& request, llvm::LLVMContext& context, const Analysis& analysis,
                 const Checkpoint& checkpoint = {});

}  // namespace skmd::compiler
