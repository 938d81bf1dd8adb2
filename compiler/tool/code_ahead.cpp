// SPDX-License-Identifier: Apache-2.0
#include "compiler/tool/code_ahead.h"

#include <llvm/IR/LLVMContext.h>

#include <string>

#include "compiler/frontend/compile.h"
#include "compiler/tool/kernel_code.h"
#include "compiler/tool/tool_constants.h"

namespace skmd::compiler {

namespace {

/// An answer with the code, encoded; "" if there is no program to make it of.
std::string made(const CompileRequest& request, llvm::Module& module, const CompileAnswer& answer) {
  if (answer.text == answer.preprocessed) {
    CompileAnswer code;
    code.kernels = answer.kernels;
    add_kernel_code(module, request.target, code);
    return encode(code);
  }
  // Kernels of the rewritten text have other parameters.
  llvm::LLVMContext context;
  const CompileRequest asked = code_request(answer.text, answer.vendor_options, request.language, request.target);
  const Compiled compiled = compile(asked, context, [&](llvm::Module& rewritten, CompileAnswer& its) {
    add_kernel_code(rewritten, request.target, its);
  });
  const CompileAnswer& code = compiled.reply.answer;
  return code.outcome == Outcome::analysed ? encode(code) : std::string();
}

}  // namespace

CodeAhead::CodeAhead(const CompileRequest& request, llvm::Module& module, const CompileAnswer& answer) {
  if (!request.target.isa.empty()) child_.emplace([&] { return made(request, module, answer); }, tuning::kAheadSeconds);
}

void CodeAhead::finish(CompileAnswer& answer) {
  if (!child_) return;
  const std::string bytes = child_->bytes();
  if (bytes.empty()) return;
  domain::Result<CompileAnswer> code = decode_answer(bytes);
  if (!code) return;
  answer.kernel_code = std::move(code->kernel_code);
  answer.kernel_notes = std::move(code->kernel_notes);
}

}  // namespace skmd::compiler
