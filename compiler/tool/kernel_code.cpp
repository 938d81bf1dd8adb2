// SPDX-License-Identifier: Apache-2.0
#include "compiler/tool/kernel_code.h"

#include <algorithm>
#include <bit>

#include "compiler/client/stoppable.h"
#include "compiler/client/trapping.h"
#include "cpu-driver/codegen/pipeline/generate.h"
#include "cpu-driver/codegen/pipeline/stoppable_text.h"
#include "cpu-driver/codegen/source_position.h"
#include "cpu-driver/host_target.h"

namespace skmd::compiler {

namespace {

constexpr unsigned kMaxLanes = 32;  // that the code generator knows

/// Code for the least processor where this one runs none of ours: there it is only looked at.
codegen::Isa best_isa() {
  if (cpu::may_use(cpu::SpanTarget::x86_64_v4_vbmi)) return codegen::Isa::avx512vbmi;
  if (cpu::may_use(cpu::SpanTarget::x86_64_v4)) return codegen::Isa::avx512;
  return cpu::may_use(cpu::SpanTarget::x86_64_v3) ? codegen::Isa::avx2 : codegen::Isa::sse;
}

std::optional<codegen::Isa> isa_of(std::string_view name) {
  if (name == "best") return best_isa();
  if (name == "x86-64-v2") return codegen::Isa::sse;
  if (name == "x86-64-v3") return codegen::Isa::avx2;
  if (name == "x86-64-v4") return codegen::Isa::avx512;
  if (name == "x86-64-v4-vbmi") return codegen::Isa::avx512vbmi;
  return codegen::isa_of(llvm::StringRef(name.data(), name.size()));
}

std::optional<codegen::StoppableOptions> stoppable_of(std::string_view name, Yields yields) {
  if (name == kOpenClTraps) return codegen::StoppableOptions{Yields::traps, Quantum::fuel, true};
  const bool clock = name == kOpenClWithClock, together = name != kOpenClWithoutBarriers;
  if (!clock && name != kOpenClWithoutClock && together) return std::nullopt;
  return codegen::StoppableOptions{yields, clock ? Quantum::clock : Quantum::fuel, together};
}

std::optional<codegen::Listing> listing_of(std::string_view name) {
  if (name == "llvm") return codegen::Listing::items;
  if (name == "vector-llvm") return codegen::Listing::spans;
  if (name == "asm") return codegen::Listing::assembly;
  if (name == "remarks") return codegen::Listing::remarks;
  if (name == "yields") return codegen::Listing::yields;
  return std::nullopt;
}

/// Places of the program are places of its file.
std::string with_file(std::string text, const std::string& file) {
  const std::string none = std::string(codegen::kNoFile) + ":";
  for (std::size_t at = text.find(none); at != std::string::npos; at = text.find(none, at + file.size()))
    text.replace(at, none.size() - 1, file);
  return text;
}

void complain(const std::vector<codegen::KernelNote>& notes, std::string& complaints) {
  for (const codegen::KernelNote& note : notes)
    if (!note.obstacle.empty()) complaints += "kernel " + note.name + " has no code: " + note.obstacle + "\n";
}

void note_all(CompileAnswer& answer, const std::string& obstacle) {
  answer.kernel_code.clear();
  answer.kernel_notes.clear();
  for (const domain::KernelTraits& kernel : answer.kernels) answer.kernel_notes.push_back({kernel.name, obstacle, {}});
}

}  // namespace

std::optional<Yields> yields_of(std::string_view name) {
  if (name.empty()) return Yields::none;
  if (name == "long") return Yields::long_loops;
  if (name == "every") return Yields::every_loop;
  if (name == "traps") return Yields::traps;
  return std::nullopt;
}

domain::Status check(const CodeSettings& settings) {
  if (!isa_of(settings.isa) && !stoppable_of(settings.isa, Yields::none))
    return domain::Error{
        0, "--isa is best, sse, avx2, avx512, opencl-c, opencl-c-clock, opencl-c-apart or opencl-c-traps, not " +
               settings.isa};
  if (settings.width > kMaxLanes || (settings.width != 0 && !std::has_single_bit(settings.width)))
    return domain::Error{0,
                         "--width is 1, 2, 4, 8, 16 or 32, or 0 for the best, not " + std::to_string(settings.width)};
  if (!settings.emit.empty() && settings.emit != "opencl-c" && !listing_of(settings.emit))
    return domain::Error{0, "--emit is llvm, vector-llvm, asm or remarks, not " + settings.emit};
  if (!yields_of(settings.yields))
    return domain::Error{0, "--yielding is long, every or traps, not " + settings.yields};
  return {};
}

domain::Result<std::string> kernel_code(llvm::Module& module, std::vector<std::string> kernels,
                                        const CodeSettings& settings, std::string& complaints) {
  if (domain::Status status = check(settings); !status) return status.error();
  if (!settings.kernel.empty()) {
    if (std::find(kernels.begin(), kernels.end(), settings.kernel) == kernels.end())
      return domain::Error{0, "there is no kernel " + settings.kernel};
    kernels = {settings.kernel};
  }
  const Yields yields = settings.yields.empty() ? Yields::long_loops : *yields_of(settings.yields);
  if (const auto stoppable = stoppable_of(settings.isa, yields)) {
    const codegen::Generated generated = codegen::stoppable_text(module, kernels, *stoppable);
    complain(generated.notes, complaints);
    const auto text = decode_stoppable(generated.code);
    if (text)
      for (const StoppableKernel& kernel : text->kernels)
        if (!kernel.why_not.empty()) complaints += "kernel " + kernel.name + " has no code: " + kernel.why_not + "\n";
    return text ? text->text : std::string();
  }
  const codegen::GenerateOptions options{*isa_of(settings.isa), settings.width, settings.check,
                                         *yields_of(settings.yields)};
  if (const auto listing = listing_of(settings.emit)) {
    auto text = codegen::list(module, kernels, options, *listing);
    if (text && *listing == codegen::Listing::remarks) return with_file(std::move(*text), settings.file);
    return text;
  }
  codegen::Generated generated = codegen::generate(module, kernels, options);
  complain(generated.notes, complaints);
  return std::move(generated.code);
}

void add_kernel_code(llvm::Module& module, const CodeTarget& target, CompileAnswer& answer) {
  const auto isa = isa_of(target.isa);
  const auto stoppable = stoppable_of(target.isa, target.yields);
  if (!isa && !stoppable) return note_all(answer, "no code is generated for " + target.isa);
  std::vector<std::string> names;
  for (const domain::KernelTraits& kernel : answer.kernels) names.push_back(kernel.name);
  codegen::Generated generated =
      stoppable ? codegen::stoppable_text(module, names, *stoppable)
                : codegen::generate(module, names, {*isa, target.width, target.checked, target.yields});
  answer.kernel_code = std::move(generated.code);
  answer.kernel_notes.clear();
  for (codegen::KernelNote& note : generated.notes)
    answer.kernel_notes.push_back({std::move(note.name), std::move(note.obstacle), std::move(note.remarks)});
}

void assume_no_code(CompileAnswer& answer) { note_all(answer, "the code generator failed"); }

}  // namespace skmd::compiler
