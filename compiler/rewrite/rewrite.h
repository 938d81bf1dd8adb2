// SPDX-License-Identifier: Apache-2.0
// The partition-ready form: kernels that ask about the whole NDRange get the answers from a hidden record, so that a
// box of work-groups launched on its own cannot tell the difference (semantics: HiddenRecord in client.h).
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

/// Of a whole program: who needs the record is known when all units are there.
Rewritten rewrite(clang::ASTContext& context);

}  // namespace skmd::compiler
