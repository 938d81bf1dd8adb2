// SPDX-License-Identifier: Apache-2.0
// clLinkProgram. Units that our front end knows are joined into one text and built like any program, so that kernels of
// a linked program can be split too; what does not join is linked by the vendors and runs whole.
#include <algorithm>
#include <sstream>

#include "intercept/build/link_options.h"
#include "intercept/build/run_build.h"

namespace skmd::icd {
namespace {

using domain::Error;

Result<std::vector<Unit>> gather_units(const std::vector<Ref<Program>>& inputs) {
  std::vector<Unit> units;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto build = inputs[i]->state().build;
    const bool linkable = build != nullptr && (build->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                                               build->type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    if (!linkable)
      return Error{CL_INVALID_OPERATION, "input program " + std::to_string(i) + " holds no compiled object or library"};
    units.insert(units.end(), build->units.begin(), build->units.end());
  }
  return units;
}

BuildOutcome make_library(std::vector<Unit> units) {
  auto build = std::make_shared<ProgramBuild>();
  build->type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
  build->units = std::move(units);
  return {std::move(build), {}, CL_SUCCESS, {}};
}

BuildOutcome link_joined(Machine& machine, const std::vector<Unit>& units, const std::string& options) {
  compiler::CompileRequest request;
  for (const Unit& unit : units) request.units.push_back(unit.text);
  request.options = options;
  request.language = machine.language;
  request.target.isa = code_needed(machine);
  request.line_markers = machine.settings.check != CheckMode::off;
  compiler::CompileAnswer answer = machine.compiler->compile(request);
  if (answer.outcome != compiler::Outcome::analysed) {
    const std::string reason = answer.log.empty() ? answer.reason : answer.log;
    return {nullptr, reason, CL_LINK_PROGRAM_FAILURE, "the units do not join into one text: " + reason};
  }
  return make_executable(machine, std::move(answer), nullptr);
}

BuildOutcome link_native(Machine& machine, const std::vector<Unit>& units, const std::string& link_options,
                         const std::string& reason) {
  VendorInput input;
  input.units = source_units(units);
  input.options = link_options;
  const bool info = std::all_of(units.begin(), units.end(), [](const Unit& unit) { return unit.kernel_arg_info; });
  BuildOutcome outcome = make_opaque(machine, input, reason, info);
  if (outcome.build != nullptr) outcome.build->units = units;
  return outcome;
}

BuildOutcome link_units(Machine& machine, const std::vector<Unit>& units, const std::string& link_options) {
  const bool opaque = std::any_of(units.begin(), units.end(), [](const Unit& unit) { return unit.opaque; });
  std::string reason = "a unit is opaque";
  if (!opaque) {
    const bool info = std::all_of(units.begin(), units.end(), [](const Unit& unit) { return unit.kernel_arg_info; });
    const auto options = joined_options(units);
    if (options) {
      BuildOutcome joined = link_joined(machine, units, *options + (info ? " -cl-kernel-arg-info" : ""));
      if (joined.build != nullptr) return joined;
      reason = joined.reason;
    } else {
      reason = options.error().reason;
    }
  }
  BuildOutcome outcome = link_native(machine, units, link_options, reason);
  if (outcome.build == nullptr) outcome.code = CL_LINK_PROGRAM_FAILURE;
  return outcome;
}

}  // namespace

Result<Ref<Program>> link_program(const Ref<Context>& context, const std::string& options,
                                  const std::vector<Ref<Program>>& inputs, const Notify& notify) {
  const auto parsed = parse_link_options(options);
  if (!parsed) return parsed.error();
  auto units = gather_units(inputs);
  if (!units) return units.error();
  auto program = make_object<Program>(context, Program::Origin::link, std::string());
  (void)program->begin(options);  // no other thread knows the program yet
  Machine& machine = context->machine();
  std::function<BuildOutcome()> work = [&machine, units = std::move(*units), parsed = *parsed] {
    return parsed.library ? make_library(units) : link_units(machine, units, parsed.vendor_options);
  };
  if (publish(*program) == nullptr) return Error{CL_OUT_OF_HOST_MEMORY, "no memory for another handle"};
  try {
    // A failed link still gives its program, with status ERROR: what is returned here is no error.
    (void)run_build(program, notify, std::move(work));
  } catch (...) {  // bad_alloc: the application never sees the handle
    release(*program->slot());
    throw;
  }
  return program;
}

}  // namespace skmd::icd
