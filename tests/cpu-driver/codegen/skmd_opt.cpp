// SPDX-License-Identifier: Apache-2.0
// skmd-opt: passes of the CPU code generator, and LLVM's, by name over an IR file.
//   skmd-opt [-S] --passes=NAME[,NAME]... FILE.ll       writes IR to standard output, as text with -S or without
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/ir/analysis_managers.h"
#include "cpu-driver/codegen/library/passes.h"
#include "cpu-driver/codegen/masks/passes.h"
#include "cpu-driver/codegen/packs/passes.h"
#include "cpu-driver/codegen/pipeline/passes.h"
#include "cpu-driver/codegen/vector/passes.h"

/// Passes of a program that compiles this file with passes of its own, as docs/recipes/a-codegen-pass.md does.
__attribute__((weak)) void register_own_passes(llvm::PassBuilder&);

namespace {

llvm::cl::opt<std::string> passes("passes", llvm::cl::desc("what to run, as opt takes it"), llvm::cl::Required);
llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("FILE"), llvm::cl::init("-"));
llvm::cl::opt<bool> text("S", llvm::cl::desc("write text; the only form there is"));

int complain(llvm::StringRef what) {
  llvm::errs() << "skmd-opt: " << what << "\n";
  return 1;
}

int run() {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(input, problem, context);
  if (!module) {
    problem.print("skmd-opt", llvm::errs());
    return 1;
  }
  llvm::PassBuilder builder;
  skmd::codegen::register_library_passes(builder);
  skmd::codegen::register_masks_passes(builder);
  skmd::codegen::register_vector_passes(builder);
  skmd::codegen::register_packs_passes(builder);
  skmd::codegen::register_pipeline_passes(builder);
  if (register_own_passes != nullptr) register_own_passes(builder);
  skmd::compiler::AnalysisManagers analyses(builder);
  llvm::ModulePassManager pipeline;
  if (llvm::Error error = builder.parsePassPipeline(pipeline, passes)) return complain(toString(std::move(error)));
  pipeline.run(*module, analyses.modules);
  if (llvm::verifyModule(*module, &llvm::errs())) return complain("the result is not valid IR");
  module->print(llvm::outs(), nullptr);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::cl::ParseCommandLineOptions(count, arguments, "passes of SKMD's CPU code generator\n");
  return run();
}
