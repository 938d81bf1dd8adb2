// SPDX-License-Identifier: Apache-2.0
#include "intercept/kernel_code.h"

#include <utility>

namespace skmd::icd {

CpuCode kernel_code(const Machine& machine, const std::string& text, const std::string& options,
                    const compiler::CodeTarget& target) {
  compiler::CompileRequest request = compiler::code_request(text, options, machine.language, target);
  request.line_markers = target.checked || target.yields == compiler::Yields::traps;
  compiler::CompileAnswer answer = machine.compiler->compile(request);
  CpuCode code;
  code.artifact = std::move(answer.kernel_code);
  for (compiler::KernelNote& note : answer.kernel_notes)
    code.kernels.push_back({std::move(note.name), std::move(note.obstacle)});
  if (!code.artifact.empty()) return code;
  if (answer.outcome == compiler::Outcome::analysed)
    code.problem = code.kernels.empty() ? "it has no kernel that code was made of" : "";
  else
    code.problem = answer.reason.empty() ? "it could not be compiled" : std::move(answer.reason);
  return code;
}

compiler::Yields yields_of(const Machine& machine) {
  return machine.settings.preempt.every_loop ? compiler::Yields::every_loop : compiler::Yields::long_loops;
}

std::function<void(std::function<void()>)> later_on(const Machine& machine) {
  return [&machine](std::function<void()> work) { machine.executor->post(std::move(work)); };
}

}  // namespace skmd::icd
