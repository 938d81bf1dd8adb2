// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/cpu/cpu_device.h"

#include <algorithm>
#include <cstring>

#include "cpu-driver/host_target.h"
#include "cpu-driver/runtime/host_facts.h"
#include "cpu-driver/runtime/processors.h"
#include "intercept/backend/cpu/cpu_constants.h"
#include "intercept/backend/cpu/cpu_part.h"

namespace skmd::icd {
namespace {

using namespace tuning;

using domain::Error;

CpuProgram& native(const std::shared_ptr<NativeProgram>& program) { return static_cast<CpuProgram&>(*program); }
CpuKernel& native(NativeKernel& kernel) { return static_cast<CpuKernel&>(kernel); }

std::string best_target() {
  const auto target = cpu::best_target();
  return target ? std::string(cpu::name_of(*target)) : std::string();
}

template <class T>
T number(const Device& device, cl_device_info name, T otherwise) {
  const auto answer = device.info(name);
  T value = otherwise;
  if (answer && answer->size() == sizeof value) std::memcpy(&value, answer->data(), sizeof value);
  return value;
}

/// Prefix of a binary of the other driver's, of a program that has no code of ours. The other driver's binaries without
/// it are refused: they come from a process without our driver, and our code would never be made.
constexpr std::byte kOtherDrivers[] = {std::byte{'S'}, std::byte{'K'}, std::byte{'C'}, std::byte{'P'},
                                       std::byte{'U'}, std::byte{'O'}, std::byte{'D'}, std::byte{'1'}};

}  // namespace

CpuDevice::CpuDevice(CpuDriverOptions options, std::shared_ptr<Device> other, bool discrete)
    : options_(std::move(options)),
      other_(std::move(other)),
      target_(options_.target.empty() ? best_target() : options_.target),
      description_(other_->description()),
      most_items_(number<std::size_t>(*other_, CL_DEVICE_MAX_WORK_GROUP_SIZE, kUsualGroup)),
      multiple_(
          std::max<std::size_t>(1, number<std::size_t>(*other_, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 1))),
      plan_(cpu::plan_threads(cpu::this_topology(), options_.threads)),
      pool_(plan_),
      ops_(pool_, other_, options_.report, options_.traps) {
  description_.name += options_.mark;
  description_.processor = cpu::processor_name() + options_.mark;
  description_.backend = "cpu-driver";
  description_.code_target = target_;
  // Some of a program's kernels may run on the other driver: its version counts as well.
  description_.arithmetic = "skmd-cpu|" + target_ + "|" + description_.arithmetic;
  description_.discrete = discrete;
  description_.blocking = false;
  description_.overlapping_views = true;
  description_.partitionable = true;
  description_.takes_ptx = false;
  description_.stops = StopForm::group;
  description_.stops_inside = options_.compile_yielding != nullptr;
  line_ = std::make_shared<CpuQueue>(
      [this](const Batch& batch) { return ops_.run(batch, [this] { return line_->others_wait(); }); }, health());
}

CpuDevice::~CpuDevice() { line_->stop(); }

std::shared_ptr<Device> CpuDevice::part(std::uint32_t first, std::uint32_t count) {
  return std::make_shared<CpuPart>(*this, part_of(plan_, first, count), other_, options_.report, options_.traps);
}

Result<std::vector<std::byte>> CpuDevice::info(cl_device_info name) const {
  if (name != CL_DEVICE_MAX_COMPUTE_UNITS) return other_->info(name);
  const cl_uint units = pool_.threads();
  std::vector<std::byte> value(sizeof units);
  std::memcpy(value.data(), &units, sizeof units);
  return value;
}

Result<std::vector<cl_image_format>> CpuDevice::image_formats(cl_mem_flags flags, cl_mem_object_type type) const {
  return other_->image_formats(flags, type);
}

void CpuDevice::load_code(CpuCode made, CpuProgram& program) const {
  program.problem = std::move(made.problem);
  if (!made.artifact.empty()) {
    auto loaded = cpu::SpanLibrary::load(made.artifact, options_.code_folder);
    if (loaded)
      program.code = std::move(*loaded);
    else
      program.problem = loaded.error().reason;
  }
  if (program.code == nullptr && program.problem.empty()) program.problem = "the code generator made no code";
  for (CpuCode::Kernel& kernel : made.kernels) {
    if (kernel.obstacle.empty() && program.code == nullptr)
      kernel.obstacle = program.problem;
    else if (kernel.obstacle.empty() && program.code->kernel(kernel.name).run == nullptr)
      kernel.obstacle = "its code is missing";
    program.kernels.emplace(std::move(kernel.name), std::move(kernel.obstacle));
  }
}

std::shared_ptr<MadeLater<cpu::SpanLibrary>> CpuDevice::yielding_code(const std::string& text,
                                                                      const std::string& options) const {
  // The program may outlive the device.
  const auto make = [compile = options_.compile_yielding, folder = options_.code_folder, target = target_, text,
                     options]() -> std::unique_ptr<cpu::SpanLibrary> {
    const CpuCode made = compile(text, options, target);
    if (made.artifact.empty()) return nullptr;
    auto loaded = cpu::SpanLibrary::load(made.artifact, folder);
    return loaded ? std::move(*loaded) : nullptr;
  };
  return std::make_shared<MadeLater<cpu::SpanLibrary>>(make, options_.later);
}

std::optional<YieldInfo> CpuDevice::yields(NativeKernel& kernel, const YieldNeeds&, bool wait) {
  const CpuKernel& own = native(kernel);
  if (own.code.run == nullptr || own.code.prints != nullptr || own.code.sites != nullptr) return std::nullopt;
  if (own.program->yielding == nullptr) return std::nullopt;
  const cpu::SpanLibrary* const code = MadeLater<cpu::SpanLibrary>::find(own.program->yielding, wait);
  if (code == nullptr) return std::nullopt;
  const cpu::YieldFacts facts = code->kernel(own.name).yields;
  if (facts.points == 0) return std::nullopt;
  return YieldInfo{facts.schema, facts.points, facts.together != 0};
}

TrapForm CpuDevice::trap_form(NativeKernel& kernel, const YieldNeeds&) {
  const CpuKernel& own = native(kernel);
  TrapForm form{.why_not = "no_form_here: its checked code has no places to go on from"};
  if (own.code.run == nullptr || own.code.sites == nullptr || own.program->yielding == nullptr) return form;
  if (own.code.prints != nullptr) return form;  // what groups print is put in order where whole groups run
  const cpu::SpanLibrary* const code = MadeLater<cpu::SpanLibrary>::find(own.program->yielding, true);
  if (code == nullptr) return form;
  const cpu::KernelCode made = code->kernel(own.name);
  if (made.yields.points == 0 || made.sites == nullptr) return form;
  return {true, false, made.yields.schema};
}

Result<std::shared_ptr<NativeProgram>> CpuDevice::build(const std::string& text, const std::string& options,
                                                        std::string& log) {
  log.clear();
  auto program = std::make_shared<CpuProgram>();
  if (target_.empty())
    program->problem = "this processor is older than any that code is made for";
  else
    load_code(options_.compile(text, options, target_), *program);
  if (program->code != nullptr && options_.compile_yielding) program->yielding = yielding_code(text, options);
  const auto taken = [](const auto& kernel) { return kernel.second.empty(); };
  const bool all = program->code != nullptr && std::all_of(program->kernels.begin(), program->kernels.end(), taken);
  if (all) return std::shared_ptr<NativeProgram>(std::move(program));
  auto other = other_->build(text, options, log);
  if (other) {
    program->other = std::move(*other);
  } else {
    program->refused = other.error();
    // A program of which some kernels have code is built; the others of its kernels are not there.
    if (std::none_of(program->kernels.begin(), program->kernels.end(), taken)) {
      Error refused = other.error();
      if (!program->problem.empty()) {
        refused.reason = program->problem + "; " + refused.reason;
        log = "SKMD's CPU driver: " + program->problem + "\n" + log;
      }
      return refused;
    }
  }
  return std::shared_ptr<NativeProgram>(std::move(program));
}

Result<std::shared_ptr<NativeProgram>> CpuDevice::build_linked(const std::vector<SourceUnit>& units,
                                                               const std::string& link_options, std::string& log) {
  auto other = other_->build_linked(units, link_options, log);
  if (!other) return other.error();
  auto program = std::make_shared<CpuProgram>();
  program->other = std::move(*other);
  program->problem = "its units were linked by the other driver";
  return std::shared_ptr<NativeProgram>(std::move(program));
}

Result<std::vector<std::byte>> CpuDevice::binary(const NativeProgram& program) {
  const auto& own = static_cast<const CpuProgram&>(program);
  if (own.code != nullptr || own.other == nullptr)
    return Error{CL_INVALID_PROGRAM_EXECUTABLE, "the CPU driver's code is kept by the compiler's cache"};
  auto theirs = other_->binary(*own.other);
  if (theirs) theirs->insert(theirs->begin(), std::begin(kOtherDrivers), std::end(kOtherDrivers));
  return theirs;
}

Result<std::shared_ptr<NativeProgram>> CpuDevice::load(const std::vector<std::byte>& binary,
                                                       const std::string& options) {
  constexpr std::size_t kMark = std::size(kOtherDrivers);
  if (binary.size() < kMark || !std::equal(std::begin(kOtherDrivers), std::end(kOtherDrivers), binary.begin()))
    return Error{CL_INVALID_BINARY, "no program of the CPU driver's: it builds from text"};
  auto other = other_->load({binary.begin() + kMark, binary.end()}, options);
  if (!other) return other.error();
  auto program = std::make_shared<CpuProgram>();
  program->other = std::move(*other);
  program->problem = "it was loaded as the other driver's binary";
  return std::shared_ptr<NativeProgram>(std::move(program));
}

Result<std::vector<std::string>> CpuDevice::kernel_names(const NativeProgram& program) {
  const auto& own = static_cast<const CpuProgram&>(program);
  if (own.other != nullptr) return other_->kernel_names(*own.other);
  std::vector<std::string> names;
  for (const auto& [name, obstacle] : own.kernels)
    if (obstacle.empty()) names.push_back(name);
  return names;
}

namespace {

/// Only the other driver describes kernels; those of our code are known from their text.
Error undescribed(const NativeKernel& kernel) {
  return {CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
          "kernel " + static_cast<const CpuKernel&>(kernel).name + " is not described by the CPU driver"};
}

}  // namespace

Result<std::uint32_t> CpuDevice::argument_count(NativeKernel& kernel) {
  const auto& other = native(kernel).other;
  return other != nullptr ? other_->argument_count(*other) : undescribed(kernel);
}

Result<std::vector<std::byte>> CpuDevice::argument_info(NativeKernel& kernel, std::uint32_t index,
                                                        cl_kernel_arg_info name) {
  const auto& other = native(kernel).other;
  return other != nullptr ? other_->argument_info(*other, index, name) : undescribed(kernel);
}

Result<std::array<std::uint32_t, 3>> CpuDevice::required_local(NativeKernel& kernel) {
  const auto& other = native(kernel).other;
  return other != nullptr ? other_->required_local(*other) : undescribed(kernel);
}

bool CpuDevice::takes_value(NativeKernel& kernel, std::uint32_t index, std::uint64_t bytes) {
  const auto& other = native(kernel).other;
  return other == nullptr || other_->takes_value(*other, index, bytes);
}

Result<std::shared_ptr<NativeKernel>> CpuDevice::kernel(const std::shared_ptr<NativeProgram>& program,
                                                        const std::string& name) {
  const CpuProgram& own = native(program);
  auto kernel = std::make_shared<CpuKernel>();
  kernel->name = name;
  kernel->program = std::static_pointer_cast<CpuProgram>(program);
  const auto found = own.kernels.find(name);
  if (found != own.kernels.end() && found->second.empty()) {
    kernel->code = own.code->kernel(name);
    const cpu::KernelFacts& facts = kernel->code.facts;
    // Any multiple is as good for a kernel that runs item by item. Programs divide it among teams of work-items, as on
    // GPUs, where it is never 1; so it is the device's.
    const std::uint64_t multiple = facts.width > 1 ? facts.width : multiple_;
    kernel->bounds = {most_items_, most_items_, multiple, facts.local_bytes, facts.private_bytes};
    return std::shared_ptr<NativeKernel>(std::move(kernel));
  }
  if (own.other == nullptr) {
    if (found == own.kernels.end()) return Error{CL_INVALID_KERNEL_NAME, "the program has no kernel " + name};
    return Error{CL_INVALID_PROGRAM_EXECUTABLE,
                 "kernel " + name + " has no code: " + found->second + "; " + own.refused.reason};
  }
  auto other = other_->kernel(own.other, name);
  if (!other) return other.error();
  kernel->bounds = (*other)->limits();
  kernel->other = std::move(*other);
  kernel->reason = found != own.kernels.end() ? found->second
                   : own.problem.empty()      ? "the code generator did not see it"
                                              : own.problem;
  return std::shared_ptr<NativeKernel>(std::move(kernel));
}

Result<std::shared_ptr<NativeMemory>> CpuDevice::allocate(std::uint64_t bytes, std::byte* host) {
  if (host != nullptr && description_.discrete)
    return Error{CL_INVALID_HOST_PTR, description_.name + " has memory of its own: no host pointer can be used"};
  std::shared_ptr<CpuMemory> memory =
      host != nullptr ? std::make_shared<CpuMemory>(host, bytes) : CpuMemory::make(bytes);
  if (memory == nullptr)
    return Error{CL_MEM_OBJECT_ALLOCATION_FAILURE,
                 "no memory for " + std::to_string(bytes) + " bytes on " + description_.name};
  return std::shared_ptr<NativeMemory>(std::move(memory));
}

Result<std::shared_ptr<NativeMemory>> CpuDevice::allocate_image(const ImageShape& shape,
                                                                const std::shared_ptr<NativeMemory>& buffer) {
  std::shared_ptr<CpuImage> image =
      buffer == nullptr ? CpuImage::make(shape)
                        : std::make_shared<CpuImage>(shape, std::static_pointer_cast<CpuMemory>(buffer), true);
  if (image == nullptr)
    return Error{CL_MEM_OBJECT_ALLOCATION_FAILURE, "no memory for an image on " + description_.name};
  return std::shared_ptr<NativeMemory>(std::move(image));
}

Result<std::shared_ptr<NativeSampler>> CpuDevice::sampler(bool normalized, cl_addressing_mode addressing,
                                                          cl_filter_mode filter) {
  return std::shared_ptr<NativeSampler>(std::make_shared<CpuSampler>(normalized, addressing, filter));
}

}  // namespace skmd::icd
