// SPDX-License-Identifier: Apache-2.0
// The partition-ready form: kernels that query the whole NDRange read the answers from a hidden record, so that a box
// of work-groups launched on its own computes the same (semantics: HiddenRecord in client.h). The partition-ready
// kernel of SKMD (TOCS 2015), section 3.1.
#pragma once

#include <clang/AST/ASTContext.h>

#include <set>
#include <string>

#include "compiler/client/client.h"

namespace skmd::compiler {

struct Rewritten {
  std::string text;               // of the main file, line markers included; as it was if no kernel needs the record
  std::set<std::string> kernels;  // those that have one parameter more
  std::string obstacle;           // why the text cannot be rewritten; then `text` is as it was
};

/// Precondition: `context` is a whole program, since which kernels need the hidden record follows from the call graph
/// of all units.
Rewritten rewrite(clang::ASTContext& context);

}  // namespace skmd::compiler
