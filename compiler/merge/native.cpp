// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/native.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <optional>

#include "compiler/merge/retarget.h"
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
llvm::TargetMachine* machine() {
  static const std::unique_ptr<llvm::TargetMachine> made = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    const llvm::Triple triple(kTriple);
    std::string problem;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
    llvm::TargetMachine* created =
        target == nullptr
            ? nullptr
            : target->createTargetMachine(triple, kProcessor, "", llvm::TargetOptions(), llvm::Reloc::PIC_,
                                          std::nullopt, llvm::CodeGenOptLevel::Default);
    return std::unique_ptr<llvm::TargetMachine>(created);
  }();
  return made.get();
}

}  // namespace

domain::Status retarget(llvm::Module& module) {
  if (machine() == nullptr) return domain::Error{0, "LLVM has no target for this machine"};
  return retarget(module, *machine());
}

domain::Result<std::string> native_object(llvm::Module& module) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine()->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return domain::Error{0, "LLVM cannot write objects for this machine"};
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

std::string span_code(const std::string& shared_object) {
  cpu::SpanHeader header;
  header.target = kTarget;
  header.bytes = shared_object.size();
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + shared_object;
}

}  // namespace skmd::compiler
