// SPDX-License-Identifier: Apache-2.0
// Preprocessed text to an LLVM module and to the other results that are read off the same syntax tree.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "compiler/client/options.h"
#include "compiler/frontend/session.h"

namespace skmd::compiler {

struct Parsed {
  Diagnostics diagnostics;
  std::unique_ptr<llvm::Module> module;  // null after an error
};

/// Called with the tree of a program without errors, before code is generated.
using TreeVisitor = std::function<void(clang::ASTContext&)>;

/// The source information attached to a module's instructions.
enum class LineTables : std::uint8_t { none, made };

/// `text` is preprocessed, with line markers. The module lives in `context`.
Parsed parse(const std::string& text, const Language& language, const Options& options, LineTables line_tables,
             llvm::LLVMContext& context, const TreeVisitor& visit);

/// Clang's diagnostics for the program as written, so that lines and columns are the application's.
Diagnostics diagnose_original(const CompileRequest& request, const Options& options);

}  // namespace skmd::compiler
