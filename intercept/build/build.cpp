// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/build.h"

#include <cctype>
#include <exception>
#include <functional>
#include <utility>

#include "intercept/build/executable.h"
#include "intercept/build/run_build.h"
#include "intercept/build/source_files.h"
#include "intercept/build/vendor_build.h"
#include "intercept/machine/device_info.h"

namespace skmd::icd {
namespace {

using domain::Error;

BuildOutcome refused(cl_int code, std::string log, const std::string& reason) {
  if (log.empty()) log = reason;
  return {nullptr, std::move(log), code, reason};
}

/// A blank-separated word outside of quotes.
bool has_word(const std::string& options, const std::string& word) {
  std::string current;
  char quote = 0;
  for (const char c : options + ' ') {
    if (quote != 0) {
      quote = c == quote ? 0 : quote;
      current += c;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (current == word) return true;
      current.clear();
    } else {
      quote = c == '"' || c == '\'' ? c : 0;
      current += c;
    }
  }
  return false;
}

/// What the device does not have, although the language knows it; "" if nothing. "This build option can only be
/// specified if the CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT is set in CL_DEVICE_SINGLE_FP_CONFIG".
std::string beyond_device(const Machine& machine, const std::string& options) {
  const std::string divide = "-cl-fp32-correctly-rounded-divide-sqrt";
  if (machine.info == nullptr || !has_word(options, divide)) return {};
  const auto config = machine.info->get<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG);
  if ((config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0) return {};
  return "build option '" + divide +
         "' needs CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT in CL_DEVICE_SINGLE_FP_CONFIG, which is " +
         std::to_string(config);
}

/// What the application asked for, and where: it may be somewhere else when a worker comes to it.
struct Asked {
  std::string options;
  std::vector<compiler::Header> headers;
  std::string folder = working_directory();
};

compiler::CompileAnswer ask_compiler(const Program& program, const Asked& asked, compiler::Stage stage) {
  prepare_builds(program.machine());
  compiler::CompileRequest request;
  request.source = program.source();
  request.options = asked.options;
  request.headers = asked.headers;
  request.language = program.machine().language;
  request.stage = stage;
  // What the checks tell names the application's own lines.
  request.line_markers = program.machine().settings.check != CheckMode::off;
  request.working_directory = asked.folder;
  if (stage == compiler::Stage::build) request.target.isa = code_needed(program.machine());
  return program.machine().compiler->compile(request);
}

/// Its headers are read now: the text may be built once more from a binary, when they are others or gone.
BuildOutcome build_opaque(const Program& program, const Asked& asked, const std::string& reason) {
  FrozenSource frozen = freeze_source(program.source(), asked.options, asked.headers, asked.folder);
  VendorInput input;
  input.text = std::move(frozen.text);
  input.options = std::move(frozen.options);
  return make_opaque(program.machine(), input, reason, asked.options.find("-cl-kernel-arg-info") != std::string::npos);
}

/// The device that is asked first has refused the program, or every device has.
bool refused_by_first(const BuildOutcome& outcome) {
  return outcome.build == nullptr || outcome.build->native->failed(outcome.build->native->order().front());
}

BuildOutcome build_source(const Program& program, const Asked& asked) {
  if (const std::string reason = beyond_device(program.machine(), asked.options); !reason.empty())
    return refused(CL_INVALID_BUILD_OPTIONS, {}, reason);
  compiler::CompileAnswer answer = ask_compiler(program, asked, compiler::Stage::build);
  switch (answer.outcome) {
    case compiler::Outcome::invalid_options:
      return refused(CL_INVALID_BUILD_OPTIONS, answer.log, "invalid build options");
    case compiler::Outcome::failed:
      return refused(CL_BUILD_PROGRAM_FAILURE, answer.log, "the source has errors");
    case compiler::Outcome::opaque:
      return build_opaque(program, asked, answer.reason);
    case compiler::Outcome::analysed:
      break;
  }
  BuildOutcome outcome = make_executable(program.machine(), std::move(answer), nullptr);
  if (!refused_by_first(outcome)) return outcome;
  // The anchor takes the application's own text? Then it is ours that is at fault, and the program runs whole.
  BuildOutcome whole = build_opaque(program, asked, "the anchor's compiler refused our text: " + outcome.log);
  return !refused_by_first(whole) || (outcome.build == nullptr && whole.build != nullptr) ? whole : outcome;
}

/// A program from clCreateProgramWithBinary: vendors' blobs where they are still good, else its text.
BuildOutcome build_binary(const Program& program, const ProgramBuild& loaded) {
  Machine& machine = program.machine();
  if (loaded.type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
    return refused(CL_INVALID_OPERATION, {}, "the binary holds a compiled object or a library: clLinkProgram takes it");
  if (!loaded.opaque()) return make_executable(machine, loaded.answer, &loaded.blobs);
  VendorInput input;
  input.text = loaded.opaque_text;
  input.options = loaded.opaque_options;
  input.units = source_units(loaded.units);
  input.blobs = &loaded.blobs;
  BuildOutcome outcome = make_opaque(machine, input, loaded.answer.reason, loaded.answer.kernel_arg_info);
  if (outcome.build != nullptr) outcome.build->units = loaded.units;
  return outcome;
}

BuildOutcome compile_unit(const Program& program, const Asked& asked) {
  if (const std::string reason = beyond_device(program.machine(), asked.options); !reason.empty())
    return refused(CL_INVALID_COMPILER_OPTIONS, {}, reason);
  compiler::CompileAnswer answer = ask_compiler(program, asked, compiler::Stage::compile);
  if (answer.outcome == compiler::Outcome::invalid_options)
    return refused(CL_INVALID_COMPILER_OPTIONS, answer.log, "invalid compiler options");
  if (answer.outcome == compiler::Outcome::failed)
    return refused(CL_COMPILE_PROGRAM_FAILURE, answer.log, "the source has errors");
  auto build = std::make_shared<ProgramBuild>();
  build->type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
  if (answer.outcome == compiler::Outcome::analysed) {
    build->units = {{answer.preprocessed, answer.vendor_options, false, answer.kernel_arg_info}};
  } else {
    build->answer.reason = answer.reason;
    FrozenSource frozen = freeze_source(program.source(), asked.options, asked.headers, asked.folder);
    build->units = {{std::move(frozen.text), std::move(frozen.options), true,
                     asked.options.find("-cl-kernel-arg-info") != std::string::npos}};
  }
  std::string log = answer.log;
  return {std::move(build), std::move(log), CL_SUCCESS, {}};
}

}  // namespace

Status run_build(const Ref<Program>& program, const Notify& notify, std::function<BuildOutcome()> work) {
  auto run = [program, work = std::move(work)]() -> Status {
    BuildOutcome outcome;
    try {
      outcome = work();
    } catch (const std::exception&) {  // bad_alloc: nothing else is thrown below here
      outcome = BuildOutcome{nullptr, {}, CL_OUT_OF_HOST_MEMORY, "no host memory"};
    }
    const cl_int code = outcome.code;
    std::string reason;
    try {
      reason = outcome.reason;
    } catch (const std::exception&) {  // the code has to do
    }
    publish_outcome(*program, std::move(outcome));  // in any case: a build that never ends could never be repeated
    if (code == CL_SUCCESS) return {};
    return Error{code, std::move(reason)};
  };
  if (notify.function == nullptr) return run();
  Executor* executor = program->machine().executor;
  executor->post([program, notify, executor, run = std::move(run)] {
    (void)run();  // asynchronous: the status and the log tell
    executor->post_callback(
        [program, notify] { notify.function(reinterpret_cast<cl_program>(program->slot()), notify.user_data); });
  });
  return {};
}

Status build_program(const Ref<Program>& program, const std::string& options, const Notify& notify) {
  if (program->origin() == Program::Origin::link)
    return Error{CL_INVALID_OPERATION, "the program was made by clLinkProgram"};
  auto former = program->begin(options);
  if (!former) return former.error();
  Program* raw = program.get();
  if (program->origin() == Program::Origin::source)
    return run_build(program, notify, [raw, asked = Asked{options, {}}] { return build_source(*raw, asked); });
  return run_build(program, notify, [raw, loaded = *former] { return build_binary(*raw, *loaded); });
}

Status compile_program(const Ref<Program>& program, const std::string& options, std::vector<compiler::Header> headers,
                       const Notify& notify) {
  if (program->origin() != Program::Origin::source) return Error{CL_INVALID_OPERATION, "the program has no source"};
  const auto former = program->begin(options);
  if (!former) return former.error();
  return run_build(program, notify, [raw = program.get(), asked = Asked{options, std::move(headers)}] {
    return compile_unit(*raw, asked);
  });
}

}  // namespace skmd::icd
