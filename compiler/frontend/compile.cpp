// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/compile.h"

#include "compiler/client/cache.h"
#include "compiler/client/hash.h"
#include "compiler/client/options.h"
#include "compiler/client/trapping.h"
#include "compiler/frontend/classify.h"
#include "compiler/frontend/describe.h"
#include "compiler/frontend/join.h"
#include "compiler/frontend/parse.h"
#include "compiler/frontend/preprocess.h"
#include "compiler/rewrite/rewrite.h"

namespace skmd::compiler {
namespace {

/// The log in the application's own lines and columns. `found` is what the preprocessed text gave; the original is
/// asked again, and believed if it agrees on whether the program is right.
std::string readable_log(const CompileRequest& request, const Options& options, const std::string& preprocessing,
                         const Diagnostics& found) {
  if (found.log.empty()) return preprocessing;
  const Diagnostics original = diagnose_original(request, options);
  const bool agree = original.errors.empty() == found.errors.empty() && !original.log.empty();
  return agree ? original.log : preprocessing + found.log;
}

void refuse(CompileAnswer& answer, const CompileRequest& request, const Options& options,
            const std::string& preprocessing, const Parsed& parsed) {
  answer.reason = reason_for_doubt(parsed.diagnostics, answer.preprocessed);
  answer.outcome = answer.reason.empty() ? Outcome::failed : Outcome::opaque;
  answer.log = readable_log(request, options, preprocessing, parsed.diagnostics);
  if (answer.log.empty()) answer.log = "error: the program could not be compiled\n";
}

std::string identity(const CompileAnswer& answer, const CompileRequest& request) {
  Hasher hasher;
  hasher.add_field(answer.preprocessed);
  hasher.add_field(answer.vendor_options);
  hasher.add_field(request.stage == Stage::compile ? "compile" : "build");
  return to_hex(hasher.finish());
}

/// What is made code of has line tables, for remarks and checks; nothing else may carry them.
LineTables line_tables_of(const CompileRequest& request, const Analysis& analysis) {
  const bool checked = request.target.checked || request.target.isa == kOpenClTraps;
  const bool wanted = request.stage == Stage::code ? checked : !analysis && request.line_markers;
  return wanted ? LineTables::made : LineTables::none;
}

void mark_hidden_records(std::vector<domain::KernelTraits>& kernels, const std::set<std::string>& needy) {
  for (domain::KernelTraits& kernel : kernels) kernel.hidden_record = needy.contains(kernel.name);
}

/// The text that the answer has of `text`.
std::string kept(const CompileRequest& request, const std::string& text) {
  return request.line_markers ? text : without_line_markers(text);
}

/// The request's text, preprocessed, with the answer's fields that follow from it. If it is not ok, the answer says
/// why.
Preprocessed preprocess_into(Reply& reply, const CompileRequest& request, const Options& options) {
  CompileAnswer& answer = reply.answer;
  Preprocessed preprocessed = preprocess(request, options);
  for (const std::string& path : preprocessed.includes) {
    if (auto file = depend_on(path)) reply.files.push_back(std::move(*file));
  }
  answer.preprocessed = kept(request, preprocessed.text);
  answer.hash = identity(answer, request);
  if (!preprocessed.ok) {
    answer.outcome = preprocessed.started ? Outcome::failed : Outcome::opaque;
    if (!preprocessed.started) answer.reason = "Clang refuses the options";
    answer.log = preprocessed.diagnostics.log;
  }
  return preprocessed;
}

/// Describes and rewrites the program while its tree is there. The module is null if it is wrong, or in doubt.
Parsed parse_into(CompileAnswer& answer, Rewritten& rewritten, const CompileRequest& request, const Options& options,
                  const Preprocessed& preprocessed, LineTables line_tables, llvm::LLVMContext& context) {
  return parse(preprocessed.text, request.language, options, line_tables, context, [&](clang::ASTContext& tree) {
    answer.kernels = describe_kernels(tree);
    if (!request.units.empty()) forget_own_names(answer.kernels);
    if (request.stage == Stage::compile)
      rewritten.text = preprocessed.text;
    else
      rewritten = rewrite(tree);
  });
}

Compiled compile_text(const CompileRequest& request, llvm::LLVMContext& context, const Analysis& analysis,
                      const Checkpoint& checkpoint) {
  Compiled compiled;
  CompileAnswer& answer = compiled.reply.answer;
  domain::Result<Options> options = parse_options(request.options);
  if (!options) {
    answer.outcome = Outcome::invalid_options;
    answer.log = "error: " + options.error().reason + "\n";
    return compiled;
  }
  answer.vendor_options = options->vendor_options;
  answer.kernel_arg_info = options->kernel_arg_info;

  const Preprocessed preprocessed = preprocess_into(compiled.reply, request, *options);
  if (!preprocessed.ok) return compiled;

  Rewritten rewritten;
  Parsed parsed =
      parse_into(answer, rewritten, request, *options, preprocessed, line_tables_of(request, analysis), context);
  if (!parsed.module) {
    answer.kernels.clear();
    refuse(answer, request, *options, preprocessed.diagnostics.log, parsed);
    return compiled;
  }
  answer.log = readable_log(request, *options, preprocessed.diagnostics.log, parsed.diagnostics);
  if (!rewritten.obstacle.empty()) {
    answer.outcome = Outcome::opaque;
    answer.reason = rewritten.obstacle;
    answer.kernels.clear();
    return compiled;
  }
  answer.outcome = Outcome::analysed;
  answer.text = kept(request, rewritten.text);
  mark_hidden_records(answer.kernels, rewritten.kernels);
  compiled.marked_text = std::move(rewritten.text);
  compiled.module = std::move(parsed.module);
  if (checkpoint) checkpoint(compiled.reply);
  if (analysis) {
    analysis(*compiled.module, answer);
    mark_hidden_records(answer.kernels, rewritten.kernels);
  }
  return compiled;
}

}  // namespace

Compiled compile(const CompileRequest& request, llvm::LLVMContext& context, const Analysis& analysis,
                 const Checkpoint& checkpoint) {
  if (request.units.empty()) return compile_text(request, context, analysis, checkpoint);
  Compiled first;
  first.reply.answer.outcome = Outcome::opaque;
  first.reply.answer.reason = "the units do not mean the same by one name";
  const domain::Result<Options> options = parse_options(request.options);
  if (!options) return compile_text(request, context, analysis, checkpoint);  // which says what is wrong with them
  CompileRequest joined = request;
  const std::vector<std::string> texts = joined_texts(request.units, request.language, *options, context);
  for (const std::string& text : texts) {
    joined.source = text;
    Compiled compiled = compile_text(joined, context, analysis, checkpoint);
    if (compiled.reply.answer.outcome == Outcome::analysed) return compiled;
    if (&text == texts.data()) first = std::move(compiled);
  }
  return first;
}

}  // namespace skmd::compiler
