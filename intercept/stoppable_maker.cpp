// SPDX-License-Identifier: Apache-2.0
#include "intercept/stoppable_maker.h"

#include "intercept/kernel_code.h"

namespace skmd::icd {

namespace {

Result<compiler::StoppableText> stoppable_text(const Machine& machine, const std::string& text,
                                               const std::string& options, std::string_view target,
                                               compiler::Yields yields) {
  const CpuCode made = kernel_code(machine, text, options, {.isa = std::string(target), .yields = yields});
  if (!made.artifact.empty()) return compiler::decode_stoppable(made.artifact);
  std::string reason = made.problem;
  for (const CpuCode::Kernel& kernel : made.kernels)
    reason += (reason.empty() ? "" : "; ") + kernel.name + ": " + kernel.obstacle;
  return domain::Error{CL_BUILD_PROGRAM_FAILURE, reason};
}

}  // namespace

StoppableMaker stoppable_maker(const Machine& machine, bool traps) {
  StoppableMaker maker;
  maker.traps = traps;
  maker.compile = [&machine, traps](const std::string& text, const std::string& options, std::string_view target) {
    return stoppable_text(machine, text, options, target, traps ? compiler::Yields::traps : yields_of(machine));
  };
  maker.later = later_on(machine);
  maker.report = [&machine](const std::string& reason) {
    machine.observer->log(LogLevel::debug, "a program has no form to be stopped in: " + reason);
  };
  return maker;
}

}  // namespace skmd::icd
