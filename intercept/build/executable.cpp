// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/executable.h"

#include "compiler/client/hash.h"
#include "intercept/build/built_programs.h"
#include "intercept/build/opaque_kernels.h"
#include "intercept/machine/device_query.h"
#include "intercept/machine/running_launches.h"

namespace skmd::icd {
namespace {

void add_line(std::string& log, const std::string& text) {
  if (text.empty()) return;
  if (!log.empty() && log.back() != '\n') log += '\n';
  log += text;
}

/// The front end's log, then what each vendor has had against the program so far.
std::string join_logs(const Machine& machine, std::string log, const NativeBuilds& builds, bool built) {
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i) {
    if (!builds.failed(i)) continue;
    const std::string& name = machine.devices[i]->description().name;
    add_line(log, (built ? "takes no part: " : "failed on ") + name + ": " + builds.failure(i));
  }
  return log;
}

/// To stop a device is to know of programs that keep something there.
void tell_of_state(Machine& machine, const std::vector<domain::KernelTraits>& traits, const ProgramBuild& build) {
  if (machine.running == nullptr || traits.empty()) return;
  bool keeps = false;
  for (const domain::KernelTraits& kernel : traits)
    keeps = keeps || build.opaque() || (kernel.facts & domain::kFactMutableProgramScope) != 0;
  if (!keeps) return;
  const std::weak_ptr<NativeBuilds> builds = build.native;
  const auto home = [&machine, builds, opaque = build.opaque()]() -> std::optional<std::uint32_t> {
    const auto alive = builds.lock();
    const auto device = alive != nullptr ? alive->first_built() : std::nullopt;
    const bool has_none =
        opaque && device &&
        query<std::size_t>(*machine.devices[*device], CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE).value_or(0) == 0;
    return has_none ? std::nullopt : device;
  };
  machine.running->keeps({traits.front().name, home, [builds] { return !builds.expired(); }});
}

void make_kernels(Machine& machine, const std::vector<domain::KernelTraits>& traits, ProgramBuild& build) {
  std::shared_ptr<HostCode> code;
  if (!build.answer.span_code.empty()) code = std::make_shared<HostCode>(build.answer.span_code, machine.code_folder);
  std::shared_ptr<MergeProgram> merges;
  if (!build.answer.merge_ptx.empty()) merges = std::make_shared<MergeProgram>(build.answer.merge_ptx);
  for (const domain::KernelTraits& kernel : traits)
    build.kernels.push_back(
        std::make_shared<BuiltKernel>(machine, kernel, build.opaque(), build.answer.hash, build.native, code, merges));
  if (machine.running != nullptr && !build.answer.preprocessed.empty()) {
    const auto text =
        std::make_shared<const SourceUnit>(SourceUnit{build.answer.preprocessed, build.answer.vendor_options});
    for (const auto& kernel : build.kernels) kernel->keep_text(text);
  }
  tell_of_state(machine, traits, build);
}

/// Parameters come from the vendor's driver, which keeps them only with this option.
void ask_for_parameters(std::string& options) {
  if (options.find("-cl-kernel-arg-info") != std::string::npos) return;
  options += options.empty() ? "-cl-kernel-arg-info" : " -cl-kernel-arg-info";
}

BuildOutcome failed(std::string log, const std::string& reason) {
  if (log.empty()) log = reason;
  return {nullptr, std::move(log), CL_BUILD_PROGRAM_FAILURE, reason};
}

}  // namespace

BuildOutcome make_executable(Machine& machine, compiler::CompileAnswer answer, const std::vector<VendorBlob>* blobs) {
  VendorInput input;
  input.text = answer.text;
  input.options = answer.vendor_options;
  input.blobs = blobs;
  expect_kernels(machine, answer.hash, answer.kernels);
  auto builds = open_builds(machine, input, answer.hash);
  build_on_devices(machine, builds, needed_builds(machine, false));
  const bool built = builds->any_built();
  std::string log = join_logs(machine, answer.log, *builds, built);
  if (!built) return failed(std::move(log), "no device's compiler takes the program");
  auto build = std::make_shared<ProgramBuild>();
  build->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  build->answer = std::move(answer);
  build->native = std::move(builds);
  make_kernels(machine, build->answer.kernels, *build);
  return {std::move(build), std::move(log), CL_SUCCESS, {}};
}

BuildOutcome make_opaque(Machine& machine, const VendorInput& input, const std::string& reason, bool kernel_arg_info) {
  VendorInput asked = input;
  if (asked.units.empty()) ask_for_parameters(asked.options);
  for (SourceUnit& unit : asked.units) ask_for_parameters(unit.options);
  std::string identity = input.text + '\n' + input.options;
  for (const SourceUnit& unit : input.units) identity += '\n' + unit.options + '\n' + unit.text;
  const std::string hash = compiler::content_hash(identity);
  auto builds = open_builds(machine, asked, hash);
  build_on_devices(machine, builds, needed_builds(machine, true));
  // A vendor's program runs as it does without us: on the anchor, if that takes it.
  const auto taker = builds->first_built();
  std::string log = join_logs(machine, {}, *builds, taker.has_value());
  if (!taker) return failed(std::move(log), "no device's compiler takes the program (opaque: " + reason + ")");
  auto kernels = opaque_kernels(*machine.devices[*taker], builds->program(*taker));
  if (!kernels) {
    return failed(std::move(log), machine.devices[*taker]->description().name +
                                      ": the driver does not describe its kernels: " + kernels.error().reason);
  }

  auto build = std::make_shared<ProgramBuild>();
  build->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  build->answer.outcome = compiler::Outcome::opaque;
  build->answer.reason = reason;
  build->answer.kernel_arg_info = kernel_arg_info;
  build->answer.hash = hash;
  build->opaque_text = input.text;
  build->opaque_options = input.options;
  build->native = std::move(builds);
  make_kernels(machine, *kernels, *build);
  if (machine.observer != nullptr)
    machine.observer->log(LogLevel::info, "opaque program " + build->answer.hash + ": " + reason);
  return {std::move(build), std::move(log), CL_SUCCESS, {}};
}

void publish_outcome(Program& program, BuildOutcome outcome) {
  try {
    if (outcome.build != nullptr) remember(*outcome.build);
  } catch (const std::bad_alloc&) {  // only skmd-info misses it
  }
  const bool told = outcome.build != nullptr || !outcome.log.empty();
  program.end(std::move(outcome.build), std::move(told ? outcome.log : outcome.reason));
}

}  // namespace skmd::icd
