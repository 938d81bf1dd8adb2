// SPDX-License-Identifier: Apache-2.0
// From a request to its reply: all of skmd-compile except its command line.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <memory>
#include <vector>

#include "compiler/client/codec.h"

namespace skmd::compiler {

/// The functions that compute the kernels' traits and the code made from them (analyse.h, merge.h). Passed in, so that
/// the front end does not depend on them.
using Analysis = std::function<void(llvm::Module&, CompileAnswer&)>;

/// Called with the reply before the analysis: complete except for the analysis's results.
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
