// SPDX-License-Identifier: Apache-2.0
// Programs and kernels of a vendor's device.
#include <algorithm>
#include <cstring>
#include <sstream>

#include "intercept/backend/vendor/native_error.h"
#include "intercept/backend/vendor/vendor_device.h"
#include "intercept/backend/vendor/vendor_visit.h"

namespace skmd::icd {
namespace {

const VendorProgram& native(const NativeProgram& program) { return static_cast<const VendorProgram&>(program); }
const VendorKernel& native(const NativeKernel& kernel) { return static_cast<const VendorKernel&>(kernel); }

std::shared_ptr<VendorProgram> owned_program(const std::shared_ptr<NativeContext>& context, cl_program program) {
  return owned([&] { return std::make_shared<VendorProgram>(context, program); },
               [&] { context->cl->clReleaseProgram(program); });
}

Result<std::shared_ptr<VendorProgram>> from_source(const std::shared_ptr<NativeContext>& context,
                                                   const std::string& text) {
  const char* string = text.data();
  const std::size_t length = text.size();
  cl_int code = CL_SUCCESS;
  cl_program made = context->cl->clCreateProgramWithSource(context->context, 1, &string, &length, &code);
  if (made == nullptr) return native_failure("clCreateProgramWithSource", code);
  return owned_program(context, made);
}

/// Vendors do not know the builtin of cl_arm_controlled_kernel_termination. Kernels that call it run in their checked
/// form alone, which does not.
std::string termination_macros(const std::optional<StoppableMaker>& maker, const std::string& text) {
  if (!maker || !maker->traps || text.find("arm_terminate_kernel") == std::string::npos) return {};
  return " -Darm_terminate_kernel(reason)=((void)(reason)) -DARM_TERMINATION_SUCCESS=0 -DARM_TERMINATION_FAILURE=1"
         " -Darm_termination_reason=int";
}

domain::Error process_ends() { return {CL_OUT_OF_RESOURCES, "the process ends"}; }

template <class T>
T work_group_info(const cl_icd_dispatch& cl, cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name,
                  T otherwise) {
  T value{};
  return cl.clGetKernelWorkGroupInfo(kernel, device, name, sizeof value, &value, nullptr) == CL_SUCCESS ? value
                                                                                                        : otherwise;
}

}  // namespace

void VendorDevice::append_log(const VendorProgram& program, std::string& log) const {
  const auto& cl = *program.owner->cl;
  std::size_t bytes = 0;
  if (cl.clGetProgramBuildInfo(program.handle, id_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS) return;
  std::string text(bytes, '\0');
  if (bytes < 2 ||
      cl.clGetProgramBuildInfo(program.handle, id_, CL_PROGRAM_BUILD_LOG, bytes, text.data(), nullptr) != CL_SUCCESS) {
    return;
  }
  log += text.c_str();
}

Result<std::shared_ptr<NativeProgram>> VendorDevice::finish_build(std::shared_ptr<VendorProgram> program,
                                                                  const std::string& options, std::string& log) {
  const cl_int code = platform_.cl->clBuildProgram(program->handle, 1, &id_, options.c_str(), nullptr, nullptr);
  append_log(*program, log);
  if (code == CL_SUCCESS) return std::shared_ptr<NativeProgram>(std::move(program));
  domain::Error error = told("clBuildProgram", code);
  error.reason += " on " + description_.name;
  if (log.empty()) log = error.reason + "\n";
  return error;
}

Result<std::shared_ptr<NativeProgram>> VendorDevice::build(const std::string& text, const std::string& options,
                                                           std::string& log) {
  auto built = build_native(text, options + termination_macros(stoppable_, text), log);
  if (built) static_cast<VendorProgram&>(**built).stoppable = stoppable_code(text, options);
  return built;
}

Result<std::shared_ptr<NativeProgram>> VendorDevice::build_native(const std::string& text, const std::string& options,
                                                                  std::string& log) {
  log.clear();
  const CompilerVisit visit;
  if (!visit) return log = process_ends().reason, process_ends();
  auto opened = context();
  if (!opened) return log = opened.error().reason, opened.error();
  auto program = from_source(*opened, text);
  if (!program) return log = program.error().reason, program.error();
  return finish_build(std::move(*program), options, log);
}

Result<std::shared_ptr<NativeProgram>> VendorDevice::build_linked(const std::vector<SourceUnit>& units,
                                                                  const std::string& link_options, std::string& log) {
  log.clear();
  const CompilerVisit visit;
  if (!visit) return log = process_ends().reason, process_ends();
  auto opened = context();
  if (!opened) return log = opened.error().reason, opened.error();
  std::vector<std::shared_ptr<VendorProgram>> compiled;
  std::vector<cl_program> handles;
  for (const SourceUnit& unit : units) {
    auto program = from_source(*opened, unit.text);
    if (!program) return log = program.error().reason, program.error();
    const cl_int code = platform_.cl->clCompileProgram((*program)->handle, 1, &id_, unit.options.c_str(), 0, nullptr,
                                                       nullptr, nullptr, nullptr);
    append_log(**program, log);
    if (code != CL_SUCCESS) {
      const domain::Error error = told("clCompileProgram", code);
      if (log.empty()) log = error.reason + "\n";
      return error;
    }
    handles.push_back((*program)->handle);
    compiled.push_back(std::move(*program));
  }
  cl_int code = CL_SUCCESS;
  // A failed link still returns a program, which holds the log.
  cl_program linked =
      platform_.cl->clLinkProgram((*opened)->context, 1, &id_, link_options.c_str(),
                                  static_cast<cl_uint>(handles.size()), handles.data(), nullptr, nullptr, &code);
  std::shared_ptr<VendorProgram> program;
  if (linked != nullptr) {
    program = owned_program(*opened, linked);
    append_log(*program, log);
  }
  if (linked == nullptr || code != CL_SUCCESS) {
    const domain::Error error = told("clLinkProgram", code);
    if (log.empty()) log = error.reason + "\n";
    return error;
  }
  return std::shared_ptr<NativeProgram>(std::move(program));
}

Result<std::vector<std::byte>> VendorDevice::binary(const NativeProgram& program) {
  const auto& cl = *platform_.cl;
  cl_program handle = native(program).handle;
  std::size_t bytes = 0;  // one device per context: one size, one pointer
  cl_int code = cl.clGetProgramInfo(handle, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr);
  if (code != CL_SUCCESS) return told("clGetProgramInfo(CL_PROGRAM_BINARY_SIZES)", code);
  if (bytes == 0) return domain::Error{CL_INVALID_PROGRAM_EXECUTABLE, description_.name + " gives no binary"};
  std::vector<std::byte> content(bytes);
  std::byte* pointer = content.data();
  code = cl.clGetProgramInfo(handle, CL_PROGRAM_BINARIES, sizeof pointer, &pointer, nullptr);
  if (code != CL_SUCCESS) return told("clGetProgramInfo(CL_PROGRAM_BINARIES)", code);
  return content;
}

Result<std::shared_ptr<NativeProgram>> VendorDevice::load(const std::vector<std::byte>& binary,
                                                          const std::string& options) {
  if (binary.empty()) return domain::Error{CL_INVALID_BINARY, "an empty binary"};
  const CompilerVisit visit;
  if (!visit) return process_ends();
  auto opened = context();
  if (!opened) return opened.error();
  const std::size_t bytes = binary.size();
  const auto* content = reinterpret_cast<const unsigned char*>(binary.data());
  cl_int status = CL_SUCCESS;
  cl_int code = CL_SUCCESS;
  cl_program made =
      platform_.cl->clCreateProgramWithBinary((*opened)->context, 1, &id_, &bytes, &content, &status, &code);
  if (made == nullptr) return told("clCreateProgramWithBinary", code);
  auto program = owned_program(*opened, made);
  if (code != CL_SUCCESS || status != CL_SUCCESS) {
    return told("clCreateProgramWithBinary", code != CL_SUCCESS ? code : status);
  }
  std::string log;
  return finish_build(std::move(program), options, log);
}

Result<std::vector<std::string>> VendorDevice::kernel_names(const NativeProgram& program) {
  const auto& cl = *platform_.cl;
  cl_program handle = native(program).handle;
  std::size_t bytes = 0;
  cl_int code = cl.clGetProgramInfo(handle, CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &bytes);
  if (code != CL_SUCCESS) return told("clGetProgramInfo(CL_PROGRAM_KERNEL_NAMES)", code);
  std::string text(bytes, '\0');
  if (bytes > 0) code = cl.clGetProgramInfo(handle, CL_PROGRAM_KERNEL_NAMES, bytes, text.data(), nullptr);
  if (code != CL_SUCCESS) return told("clGetProgramInfo(CL_PROGRAM_KERNEL_NAMES)", code);
  std::vector<std::string> names;
  std::istringstream parts(text.c_str());
  for (std::string name; std::getline(parts, name, ';');) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

std::uint64_t VendorDevice::largest_group(std::uint64_t said) const {
  // NVIDIA's driver says 256 of every kernel and takes as much as the kernel's registers leave room for.
  if (!is_nvidia()) return said;
  std::size_t most = 0;
  const auto bytes = info(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  if (bytes && bytes->size() == sizeof most) std::memcpy(&most, bytes->data(), sizeof most);
  return std::max<std::uint64_t>(said, most);
}

Result<std::shared_ptr<NativeKernel>> VendorDevice::kernel(const std::shared_ptr<NativeProgram>& program,
                                                           const std::string& name) {
  if (health()->aside()) return aside_error();
  const auto owner = std::static_pointer_cast<VendorProgram>(program);
  const auto& cl = *platform_.cl;
  cl_int code = CL_SUCCESS;
  cl_kernel made = cl.clCreateKernel(owner->handle, name.c_str(), &code);
  if (made == nullptr) {
    domain::Error error = told("clCreateKernel", code);
    error.reason += " for '" + name + "' on " + description_.name;
    return error;
  }
  KernelLimits limits;
  auto kernel = owned(
      [&] {
        limits.work_group_size = work_group_info<std::size_t>(cl, made, id_, CL_KERNEL_WORK_GROUP_SIZE, 0);
        limits.most_items = largest_group(limits.work_group_size);
        limits.preferred_multiple =
            work_group_info<std::size_t>(cl, made, id_, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 1);
        limits.local_bytes = work_group_info<cl_ulong>(cl, made, id_, CL_KERNEL_LOCAL_MEM_SIZE, 0);
        limits.private_bytes = work_group_info<cl_ulong>(cl, made, id_, CL_KERNEL_PRIVATE_MEM_SIZE, 0);
        return std::make_shared<VendorKernel>(owner, made, limits, name);
      },
      [&] { cl.clReleaseKernel(made); });
  if (limits.work_group_size == 0) {
    return domain::Error{CL_OUT_OF_RESOURCES, "kernel '" + name + "' has no work-group size on " + description_.name};
  }
  return std::shared_ptr<NativeKernel>(std::move(kernel));
}

Result<std::uint32_t> VendorDevice::argument_count(NativeKernel& kernel) {
  cl_uint count = 0;
  const cl_int code =
      platform_.cl->clGetKernelInfo(native(kernel).handle, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
  if (code != CL_SUCCESS) return told("clGetKernelInfo(CL_KERNEL_NUM_ARGS)", code);
  return count;
}

Result<std::vector<std::byte>> VendorDevice::argument_info(NativeKernel& kernel, std::uint32_t index,
                                                           cl_kernel_arg_info name) {
  const auto& cl = *platform_.cl;
  cl_kernel handle = native(kernel).handle;
  std::size_t bytes = 0;
  cl_int code = cl.clGetKernelArgInfo(handle, index, name, 0, nullptr, &bytes);
  std::vector<std::byte> value(bytes);
  if (code == CL_SUCCESS && bytes > 0) code = cl.clGetKernelArgInfo(handle, index, name, bytes, value.data(), nullptr);
  if (code != CL_SUCCESS) return told("clGetKernelArgInfo", code);
  return value;
}

Result<std::array<std::uint32_t, 3>> VendorDevice::required_local(NativeKernel& kernel) {
  std::array<std::size_t, 3> size{};
  const cl_int code = platform_.cl->clGetKernelWorkGroupInfo(
      native(kernel).handle, id_, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size, size.data(), nullptr);
  if (code != CL_SUCCESS) return told("clGetKernelWorkGroupInfo(CL_KERNEL_COMPILE_WORK_GROUP_SIZE)", code);
  return std::array<std::uint32_t, 3>{static_cast<std::uint32_t>(size[0]), static_cast<std::uint32_t>(size[1]),
                                      static_cast<std::uint32_t>(size[2])};
}

bool VendorDevice::takes_value(NativeKernel& kernel, std::uint32_t index, std::uint64_t bytes) {
  const auto& cl = *platform_.cl;
  const VendorKernel& asked = native(kernel);
  char name[1024] = {};
  if (cl.clGetKernelInfo(asked.handle, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr) != CL_SUCCESS) return true;
  const std::vector<std::byte> zeros(bytes);
  // A kernel of its own: launches may be setting arguments of the other.
  cl_int code = CL_SUCCESS;
  cl_kernel scratch = cl.clCreateKernel(asked.owner->handle, name, &code);
  if (scratch == nullptr) return true;
  code = cl.clSetKernelArg(scratch, index, bytes, zeros.data());
  cl.clReleaseKernel(scratch);
  return code != CL_INVALID_ARG_SIZE;
}

}  // namespace skmd::icd
