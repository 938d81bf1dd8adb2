// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/generate.h"

#include <llvm/Support/raw_ostream.h>

#include "compiler/ir/native.h"
#include "cpu-driver/codegen/pipeline/attempts.h"
#include "cpu-driver/codegen/pipeline/kernels.h"

namespace skmd::codegen {

namespace {

Generated without_code(const std::vector<std::string>& kernels, const std::string& reason) {
  Generated generated;
  for (const std::string& name : kernels) generated.notes.push_back({name, reason, {}});
  return generated;
}

cpu::SpanTarget target_of(Isa isa) {
  switch (isa) {
    case Isa::avx512vbmi:
      return cpu::SpanTarget::x86_64_v4_vbmi;
    case Isa::avx512:
      return cpu::SpanTarget::x86_64_v4;
    case Isa::avx2:
      return cpu::SpanTarget::x86_64_v3;
    default:
      return cpu::SpanTarget::x86_64_v2;
  }
}

Generated generate_here(llvm::Module& module, const std::vector<std::string>& kernels, const BuildOptions& options) {
  auto notes = build_kernels(module, kernels, options, Until::spans);
  if (!notes) return without_code(kernels, notes.error().reason);
  Generated generated{{}, std::move(*notes)};
  bool any = false;
  for (const KernelNote& note : generated.notes) any = any || note.obstacle.empty();
  if (!any) return generated;
  const domain::Result<std::string> object = compiler::native_object(module, processor(options.isa).str());
  if (!object) return without_code(kernels, object.error().reason);
  const domain::Result<std::string> shared = compiler::shared_object(*object);
  if (!shared) return without_code(kernels, shared.error().reason);
  generated.code = compiler::span_code(*shared, target_of(options.isa));
  return generated;
}

std::string in_words(const std::vector<KernelNote>& notes) {
  std::string text;
  for (const KernelNote& note : notes) {
    text += note.name + ": " + (note.obstacle.empty() ? "has code" : "no code: " + note.obstacle) + "\n";
    for (const std::string& remark : note.remarks) text += "  " + remark + "\n";
  }
  return text;
}

std::string as_text(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

}  // namespace

Generated generate(llvm::Module& module, const std::vector<std::string>& kernels, const GenerateOptions& options) {
  return in_attempts(kernels, options.width == 1, [&](const Attempt& attempt, Progress& progress) {
    const BuildOptions these{options, attempt.by_items, [&](std::size_t number) { progress.at(number); }};
    return generate_here(module, attempt.kernels, these);
  });
}

domain::Result<std::string> list(llvm::Module& module, const std::vector<std::string>& kernels,
                                 const GenerateOptions& options, Listing listing) {
  const bool before_vectors = listing == Listing::items || listing == Listing::yields;
  const auto notes = build_kernels(module, kernels, {options, {}, {}}, before_vectors ? Until::items : Until::spans);
  if (!notes) return notes.error();
  if (listing == Listing::remarks) return in_words(*notes);
  if (listing == Listing::yields) {
    std::string text;
    for (const KernelNote& note : *notes) text += note.yields;
    return text;
  }
  if (listing == Listing::assembly) return compiler::native_assembly(module, processor(options.isa).str());
  return as_text(module);
}

}  // namespace skmd::codegen
