// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/cpu/bare_host.h"

#include "intercept/backend/cpu/host_answers.h"

namespace skmd::icd {
namespace {

using domain::Error;

constexpr const char* kNoDriver = "no other CPU driver is installed";

Error no_driver(cl_int code, const std::string& what) { return {code, what + ", and " + kNoDriver}; }

}  // namespace

BareHost::BareHost(cpu::HostFacts facts) : facts_(std::move(facts)) {
  description_.name = facts_.model;
  description_.platform = "SKMD";
  description_.backend = "cpu-driver";
  description_.arithmetic = facts_.model;
  description_.discrete = false;
  description_.stops = StopForm::none;
}

Result<std::vector<std::byte>> BareHost::info(cl_device_info name) const { return host_answer(facts_, name); }

Result<std::vector<cl_image_format>> BareHost::image_formats(cl_mem_flags, cl_mem_object_type) const {
  return host_image_formats();
}

Result<std::shared_ptr<NativeProgram>> BareHost::build(const std::string&, const std::string&, std::string& log) {
  Error refused = no_driver(CL_BUILD_PROGRAM_FAILURE, "the CPU driver has no code for the program");
  log = refused.reason;
  return refused;
}

Result<std::shared_ptr<NativeProgram>> BareHost::build_linked(const std::vector<SourceUnit>&, const std::string&,
                                                              std::string& log) {
  Error refused = no_driver(CL_LINK_PROGRAM_FAILURE, "the CPU driver cannot link the program's units");
  log = refused.reason;
  return refused;
}

Result<std::vector<std::byte>> BareHost::binary(const NativeProgram&) {
  return no_driver(CL_INVALID_PROGRAM_EXECUTABLE, "the program has no binary");
}

Result<std::shared_ptr<NativeProgram>> BareHost::load(const std::vector<std::byte>&, const std::string&) {
  return no_driver(CL_INVALID_BINARY, "it is another CPU driver's binary");
}

Result<std::vector<std::string>> BareHost::kernel_names(const NativeProgram&) {
  return no_driver(CL_INVALID_PROGRAM_EXECUTABLE, "the program has no kernels");
}

Result<std::uint32_t> BareHost::argument_count(NativeKernel&) {
  return no_driver(CL_INVALID_KERNEL, "the kernel is not described");
}

Result<std::vector<std::byte>> BareHost::argument_info(NativeKernel&, std::uint32_t, cl_kernel_arg_info) {
  return no_driver(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "the kernel is not described");
}

Result<std::array<std::uint32_t, 3>> BareHost::required_local(NativeKernel&) {
  return no_driver(CL_INVALID_KERNEL, "the kernel is not described");
}

Result<std::shared_ptr<NativeKernel>> BareHost::kernel(const std::shared_ptr<NativeProgram>&, const std::string& name) {
  return no_driver(CL_INVALID_KERNEL_NAME, "kernel " + name + " has no code");
}

Result<std::shared_ptr<NativeMemory>> BareHost::allocate(std::uint64_t, std::byte*) {
  return no_driver(CL_MEM_OBJECT_ALLOCATION_FAILURE, "the memory belongs to another CPU driver");
}

Result<std::shared_ptr<NativeMemory>> BareHost::allocate_image(const ImageShape&,
                                                               const std::shared_ptr<NativeMemory>&) {
  return no_driver(CL_INVALID_OPERATION, "the CPU driver has no images");
}

Result<std::shared_ptr<NativeSampler>> BareHost::sampler(bool, cl_addressing_mode, cl_filter_mode) {
  return no_driver(CL_INVALID_OPERATION, "the CPU driver has no samplers");
}

Ticket BareHost::submit(Batch&& batch) {
  batch.done({CL_INVALID_OPERATION,
              std::string("the command needs another CPU driver, and ") + kNoDriver,
              {},
              Fault::none,
              0});
  return 0;
}

}  // namespace skmd::icd
