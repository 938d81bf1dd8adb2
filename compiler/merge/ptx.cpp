// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/ptx.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <optional>

#include "compiler/ir/retarget.h"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace skmd::compiler {

namespace {

// The system "nvcl" is NVIDIA's OpenCL: its drivers want to be told which parameters are buffers.
constexpr char kTriple[] = "nvptx64-nvidia-nvcl";
// GPUs from 2014 on, drivers from 2016 on; newer ones translate it.
constexpr char kProcessor[] = "sm_50";
constexpr char kFeatures[] = "+ptx50";

// Made once: LLVM keeps what it points to.
llvm::TargetMachine* machine() {
  static const std::unique_ptr<llvm::TargetMachine> made = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    const llvm::Triple triple(kTriple);
    std::string problem;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
    llvm::TargetMachine* created =
        target == nullptr ? nullptr
                          : target->createTargetMachine(triple, kProcessor, kFeatures, llvm::TargetOptions(),
                                                        std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Default);
    return std::unique_ptr<llvm::TargetMachine>(created);
  }();
  return made.get();
}

}  // namespace

domain::Result<std::string> ptx_text(llvm::Module& module) {
  if (machine() == nullptr) return domain::Error{0, "LLVM has no target for PTX"};
  if (const domain::Status status = retarget(module, *machine()); !status) return status.error();
  if (llvm::verifyModule(module)) return domain::Error{0, "the module for devices is malformed"};
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine()->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return domain::Error{0, "LLVM cannot write PTX"};
  passes.run(module);
  return std::string(text.begin(), text.end());
}

}  // namespace skmd::compiler
