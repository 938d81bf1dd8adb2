// SPDX-License-Identifier: Apache-2.0
#include "compiler/tool/opencl_c_text.h"

#include "compiler/ir/analysis_managers.h"
#include "compiler/ir/find_kernel.h"
#include "compiler/opencl_c/print.h"
#include "compiler/yield/canonical.h"
#include "compiler/yield/yield.h"
#include "cpu-driver/codegen/pipeline/kernels.h"

namespace skmd::compiler {

namespace {

domain::Result<std::string> text_of(llvm::Module& module, const std::string& name, Yields yields,
                                    llvm::FunctionAnalysisManager& analyses) {
  llvm::Function* kernel = find_kernel(module, name);
  if (kernel == nullptr) return domain::Error{0, "kernel " + name + ": it has no code"};
  if (yields == Yields::none) {
    make_canonical(*kernel, analyses);
  } else {
    const YieldForm form = make_yielding(kernel, yields, analyses);
    if (!form.why_not.empty()) return domain::Error{0, "kernel " + name + ": " + form.why_not + ": " + form.detail};
  }
  domain::Result<PrintedKernel> printed = print_opencl_c(*kernel);
  if (!printed) return printed.error();
  return std::move(printed->text);
}

}  // namespace

domain::Result<std::string> opencl_c_text(llvm::Module& module, const std::vector<std::string>& kernels,
                                          const CodeSettings& settings, std::string& complaints) {
  if (domain::Status status = check(settings); !status) return status.error();
  if (domain::Status status = codegen::prepare_program(module); !status) return status.error();
  AnalysisManagers analyses;
  std::string text;
  for (const std::string& name : kernels) {
    const auto printed = text_of(module, name, *yields_of(settings.yields), analyses.functions);
    if (printed)
      text += (text.empty() ? "" : "\n") + *printed;
    else
      complaints += printed.error().reason + "\n";
  }
  return text;
}

}  // namespace skmd::compiler
