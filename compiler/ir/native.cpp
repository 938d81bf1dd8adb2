// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/native.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include <map>
#include <memory>
#include <optional>

#include "compiler/ir/retarget.h"
#include "cpu-driver/span_code.h"

namespace skmd::compiler {

namespace {

#if defined(__x86_64__)
constexpr char kTriple[] = "x86_64-unknown-linux-gnu";
constexpr char kProcessor[] = "x86-64-v2";
constexpr cpu::SpanTarget kTarget = cpu::SpanTarget::x86_64_v2;
#elif defined(__aarch64__)
constexpr char kTriple[] = "aarch64-unknown-linux-gnu";
constexpr char kProcessor[] = "generic";
constexpr cpu::SpanTarget kTarget = cpu::SpanTarget::aarch64;
#else
#error "span code is generated for x86-64 and AArch64"
#endif

// Made once: LLVM keeps what it points to.
llvm::TargetMachine* machine(const std::string& processor) {
  static std::map<std::string, std::unique_ptr<llvm::TargetMachine>> made;
  const auto [place, fresh] = made.try_emplace(processor);
  if (!fresh) return place->second.get();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  const llvm::Triple triple(kTriple);
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (target == nullptr) return nullptr;
  place->second.reset(target->createTargetMachine(triple, processor.empty() ? kProcessor : processor, "",
                                                  llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
                                                  llvm::CodeGenOptLevel::Default));
  return place->second.get();
}

domain::Result<std::string> emit(llvm::Module& module, const std::string& processor, llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  llvm::TargetMachine* target = machine(processor);
  if (target == nullptr || target->addPassesToEmitFile(passes, stream, nullptr, type))
    return domain::Error{0, "LLVM cannot write objects for this machine"};
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace

domain::Status retarget(llvm::Module& module) {
  if (machine("") == nullptr) return domain::Error{0, "LLVM has no target for this machine"};
  return retarget(module, *machine(""));
}

domain::Result<std::string> native_object(llvm::Module& module, const std::string& processor) {
  return emit(module, processor, llvm::CodeGenFileType::ObjectFile);
}

domain::Result<std::string> native_assembly(llvm::Module& module, const std::string& processor) {
  return emit(module, processor, llvm::CodeGenFileType::AssemblyFile);
}

cpu::SpanTarget least_target() { return kTarget; }

std::string span_code(const std::string& shared_object, cpu::SpanTarget target) {
  cpu::SpanHeader header;
  header.target = target;
  header.bytes = shared_object.size();
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + shared_object;
}

}  // namespace skmd::compiler
