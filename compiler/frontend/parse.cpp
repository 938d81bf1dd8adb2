// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/parse.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>

#include <vector>

#include "compiler/frontend/names.h"

namespace skmd::compiler {
namespace {

class Visiting : public clang::ASTConsumer {
 public:
  explicit Visiting(const TreeVisitor& visit) : visit_(visit) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (!context.getDiagnostics().hasErrorOccurred()) visit_(context);
  }

 private:
  const TreeVisitor& visit_;
};

class ParseAction : public clang::EmitLLVMOnlyAction {
 public:
  ParseAction(llvm::LLVMContext& context, const TreeVisitor& visit) : EmitLLVMOnlyAction(&context), visit_(visit) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    auto code = EmitLLVMOnlyAction::CreateASTConsumer(compiler, file);
    if (!code) return nullptr;
    std::vector<std::unique_ptr<clang::ASTConsumer>> both;
    both.push_back(std::make_unique<Visiting>(visit_));
    both.push_back(std::move(code));
    return std::make_unique<clang::MultiplexConsumer>(std::move(both));
  }

 private:
  const TreeVisitor& visit_;
};

/// Vendors ship Clangs of different ages: what any of them still takes with a warning must not be an error here.
constexpr const char* kWarningsOfOlderClangs[] = {"-Wno-error=implicit-function-declaration",
                                                  "-Wno-error=implicit-int",
                                                  "-Wno-error=int-conversion",
                                                  "-Wno-error=incompatible-pointer-types",
                                                  "-Wno-error=incompatible-function-pointer-types",
                                                  "-Wno-error=return-mismatch",
                                                  "-Wno-error=return-type"};

std::vector<std::string> common_arguments(const Language& language, const Options& options) {
  std::vector<std::string> words{
      "-triple",
      "spir64-unknown-unknown",
      "-cl-std=CL" + std::to_string(options.version / 100) + "." + std::to_string(options.version / 10 % 10),
      extension_switch(language, options),
      "-fdeclare-opencl-builtins",
      "-finclude-default-header",
      "-O1",
      "-disable-llvm-passes",
      "-Wno-macro-redefined",
      "-Wno-builtin-macro-redefined",
      "-Wno-unknown-pragmas"};
  words.insert(words.end(), options.code_generation.begin(), options.code_generation.end());
  if (offers(language, "cl_arm_controlled_kernel_termination")) words.emplace_back("-DSKMD_KERNEL_TERMINATION");
  if (options.no_warnings) words.emplace_back("-w");
  if (options.warnings_are_errors) words.emplace_back("-Werror");
  words.insert(words.end(), std::begin(kWarningsOfOlderClangs), std::end(kWarningsOfOlderClangs));
  return words;
}

/// What Clang's base header itself is written with; nothing else of Clang's is to be seen by the program.
constexpr const char* kNeededByBaseHeader[] = {"__SIZE_TYPE__=unsigned long",
                                               "__SIZE_MAX__=0xffffffffffffffffUL",
                                               "__PTRDIFF_TYPE__=long",
                                               "__INTPTR_TYPE__=long",
                                               "__UINTPTR_TYPE__=unsigned long",
                                               "__ATOMIC_RELAXED=0",
                                               "__ATOMIC_ACQUIRE=2",
                                               "__ATOMIC_RELEASE=3",
                                               "__ATOMIC_ACQ_REL=4",
                                               "__ATOMIC_SEQ_CST=5",
                                               "__OPENCL_MEMORY_SCOPE_WORK_ITEM=0",
                                               "__OPENCL_MEMORY_SCOPE_WORK_GROUP=1",
                                               "__OPENCL_MEMORY_SCOPE_DEVICE=2",
                                               "__OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES=3",
                                               "__OPENCL_MEMORY_SCOPE_SUB_GROUP=4"};

bool names_itself(const std::string& macro) {
  const std::size_t equal = macro.find('=');
  return equal != std::string::npos && macro.compare(0, equal, macro, equal + 1) == 0;
}

}  // namespace

Parsed parse(const std::string& text, const Language& language, const Options& options, LineTables line_tables,
             llvm::LLVMContext& context, const TreeVisitor& visit) {
  Parsed parsed;
  std::vector<std::string> words = common_arguments(language, options);
  if (line_tables == LineTables::made)
    words.insert(words.end(), {"-debug-info-kind=line-tables-only", "-dwarf-version=5"});
  Session session(text, {}, words);
  if (!session.ready()) {
    parsed.diagnostics = session.take_diagnostics();
    return parsed;
  }
  ParseAction action(context, visit);
  const bool ran = session.compiler().ExecuteAction(action);
  parsed.diagnostics = session.take_diagnostics();
  if (ran && parsed.diagnostics.errors.empty()) parsed.module = action.takeModule();
  return parsed;
}

Diagnostics diagnose_original(const CompileRequest& request, const Options& options) {
  std::vector<std::string> words = common_arguments(request.language, options);
  words.emplace_back("-undef");
  for (const char* macro : kNeededByBaseHeader) words.push_back(std::string("-D") + macro);
  for (const std::string& macro : virtual_device_macros(request.language, options)) {
    if (!names_itself(macro)) words.push_back("-D" + macro);
  }
  add_preprocessor_options(words, options);
  Session session(request.source, request.headers, words);
  if (session.ready()) {
    clang::SyntaxOnlyAction action;
    session.compiler().ExecuteAction(action);
  }
  return session.take_diagnostics();
}

}  // namespace skmd::compiler
