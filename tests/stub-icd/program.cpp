// SPDX-License-Identifier: Apache-2.0
// Programs and kernels. Any text builds unless it says `#error`; a binary is the text behind a mark, or, where the
// driver is like NVIDIA's, PTX.
#include <unistd.h>

#include <cstring>

#include "tests/stub-icd/control.h"
#include "tests/stub-icd/overrides.h"
#include "tests/stub-icd/stub.h"

namespace stub {
namespace {

constexpr const char* kBinaryMark = "STUB BINARY\n";
constexpr const char* kPtxMark = "\n.target sm_";

/// What tests do to builds, device by device. Leaked: threads may be in there at the very end.
struct Builds {
  std::mutex mutex;
  std::condition_variable changed;
  unsigned held = 0, failing = 0;  // a bit per device
  int waiting = 0;
  std::size_t ended[4] = {};
};
Builds& builds() {
  static Builds* const one = new Builds;
  return *one;
}
std::atomic<int> blocked{0};

/// A driver whose code is gone when the process ends would crash.
[[gnu::destructor]] void look_for_builds() {
  if (blocked > 0) _exit(kEndedUnderneath);
}

/// The code that the build is to fail with.
cl_int wait_while_builds_are_held(cl_uint device) {
  Builds& b = builds();
  std::unique_lock lock(b.mutex);
  ++b.waiting;
  ++blocked;
  b.changed.wait(lock, [&] { return (b.held >> device & 1) == 0; });
  --blocked;
  --b.waiting;
  return (b.failing >> device & 1) != 0 ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

cl_program new_program(std::string text, cl_int* code_out) {
  auto* const program = new _cl_program;
  program->text = std::move(text);
  if (code_out != nullptr) *code_out = CL_SUCCESS;
  return program;
}

cl_program failed_program(cl_int code, cl_int* code_out) {
  if (code_out != nullptr) *code_out = code;
  return nullptr;
}

cl_program create_with_source(cl_context, cl_uint count, const char** strings, const std::size_t* lengths,
                              cl_int* code_out) {
  const cl_int failed = record("clCreateProgramWithSource");
  if (failed != CL_SUCCESS) return failed_program(failed, code_out);
  std::string text;
  for (cl_uint i = 0; i < count; ++i) {
    text += lengths != nullptr && lengths[i] != 0 ? std::string(strings[i], lengths[i]) : std::string(strings[i]);
  }
  return new_program(std::move(text), code_out);
}

cl_program create_with_binary(cl_context, cl_uint, const cl_device_id* devices, const std::size_t* lengths,
                              const unsigned char** binaries, cl_int* status, cl_int* code_out) {
  const cl_int failed = record("clCreateProgramWithBinary", "bytes=" + std::to_string(lengths[0]));
  if (failed != CL_SUCCESS) return failed_program(failed, code_out);
  const std::string content(reinterpret_cast<const char*>(binaries[0]), lengths[0]);
  const bool ptx = like_nvidia(devices[0]) && content.find(kPtxMark) != std::string::npos;
  const bool good = ptx || content.starts_with(kBinaryMark);
  if (status != nullptr) *status = good ? CL_SUCCESS : CL_INVALID_BINARY;
  if (ptx) return new_program(content, code_out);
  if (!good) return failed_program(CL_INVALID_BINARY, code_out);
  return new_program(content.substr(std::strlen(kBinaryMark)), code_out);
}

cl_int translate(cl_program program, cl_int failed, cl_int otherwise) {
  if (failed == CL_SUCCESS && program->text.find("#error") == std::string::npos) {
    const bool ptx = program->text.find(kPtxMark) != std::string::npos;
    program->kernels = ptx ? scan_ptx(program->text) : scan_kernels(program->text);
    program->log.clear();
    return CL_SUCCESS;
  }
  program->log = "stub: error: " + program->text.substr(0, 200);
  return failed != CL_SUCCESS ? failed : otherwise;
}

cl_int build_program(cl_program program, cl_uint, const cl_device_id* devices, const char* options,
                     void(CL_CALLBACK*)(cl_program, void*), void*) {
  const cl_uint device = devices[0]->index;
  cl_int failed = record("clBuildProgram", std::string("options=") + (options != nullptr ? options : ""));
  if (const cl_int wanted = wait_while_builds_are_held(device); failed == CL_SUCCESS) failed = wanted;
  program->options = options != nullptr ? options : "";
  const cl_int code = translate(program, failed, CL_BUILD_PROGRAM_FAILURE);
  program->built = code == CL_SUCCESS;
  const std::lock_guard lock(builds().mutex);
  ++builds().ended[device];
  return code;
}

cl_int compile_program(cl_program program, cl_uint, const cl_device_id*, const char* options, cl_uint,
                       const cl_program*, const char**, void(CL_CALLBACK*)(cl_program, void*), void*) {
  const cl_int failed = record("clCompileProgram", std::string("options=") + (options != nullptr ? options : ""));
  return translate(program, failed, CL_COMPILE_PROGRAM_FAILURE);
}

cl_program link_program(cl_context, cl_uint, const cl_device_id*, const char* options, cl_uint count,
                        const cl_program* units, void(CL_CALLBACK*)(cl_program, void*), void*, cl_int* code_out) {
  const cl_int failed =
      record("clLinkProgram", "units=" + std::to_string(count) + " options=" + (options != nullptr ? options : ""));
  std::string text;
  for (cl_uint i = 0; i < count; ++i) text += units[i]->text + "\n";
  cl_program linked = new_program(std::move(text), nullptr);
  const cl_int code = translate(linked, failed, CL_LINK_PROGRAM_FAILURE);
  linked->built = code == CL_SUCCESS;
  if (code_out != nullptr) *code_out = code;
  return linked;
}

cl_int get_program_info(cl_program program, cl_program_info name, std::size_t size, void* out, std::size_t* size_out) {
  if (const cl_int failed = record("clGetProgramInfo"); failed != CL_SUCCESS) return failed;
  const std::string binary = kBinaryMark + program->text;
  std::string names;
  for (const KernelText& k : program->kernels) names += (names.empty() ? "" : ";") + k.name;
  switch (name) {
    case CL_PROGRAM_BINARY_SIZES:
      return answer_value(binary.size(), size, out, size_out);
    case CL_PROGRAM_BINARIES:
      if (out != nullptr) std::memcpy(*static_cast<unsigned char**>(out), binary.data(), binary.size());
      if (size_out != nullptr) *size_out = sizeof(unsigned char*);
      return CL_SUCCESS;
    case CL_PROGRAM_NUM_KERNELS:
      return answer_value(program->kernels.size(), size, out, size_out);
    case CL_PROGRAM_KERNEL_NAMES:
      return program->built ? answer_text(names, size, out, size_out) : CL_INVALID_PROGRAM_EXECUTABLE;
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int get_build_info(cl_program program, cl_device_id, cl_program_build_info name, std::size_t size, void* out,
                      std::size_t* size_out) {
  if (const cl_int failed = record("clGetProgramBuildInfo"); failed != CL_SUCCESS) return failed;
  if (name == CL_PROGRAM_BUILD_LOG) return answer_text(program->log, size, out, size_out);
  if (name != CL_PROGRAM_BUILD_STATUS) return CL_INVALID_VALUE;
  const cl_build_status status = program->built ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
  return answer_value(status, size, out, size_out);
}

cl_kernel create_kernel(cl_program program, const char* name, cl_int* code_out) {
  cl_int code = record("clCreateKernel", std::string("name=") + name);
  if (code == CL_SUCCESS && !program->built) code = CL_INVALID_PROGRAM_EXECUTABLE;
  if (code == CL_SUCCESS) {
    for (const KernelText& text : program->kernels) {
      if (text.name != name) continue;
      auto* const kernel = new _cl_kernel;
      kernel->program = retained(program);
      kernel->text = text;
      kernel->arguments.resize(text.parameters.size());
      if (code_out != nullptr) *code_out = CL_SUCCESS;
      return kernel;
    }
    code = CL_INVALID_KERNEL_NAME;
  }
  if (code_out != nullptr) *code_out = code;
  return nullptr;
}

cl_int set_kernel_arg(cl_kernel kernel, cl_uint index, std::size_t bytes, const void* value) {
  const cl_int failed = record("clSetKernelArg", [&] {
    return "kernel=" + kernel->text.name + " index=" + std::to_string(index) + " bytes=" + std::to_string(bytes);
  });
  if (failed != CL_SUCCESS) return failed;
  if (index >= kernel->arguments.size()) return CL_INVALID_ARG_INDEX;
  const Parameter& parameter = kernel->text.parameters[index];
  Argument argument;
  argument.set = true;
  switch (parameter.kind) {
    case ArgumentKind::buffer:
    case ArgumentKind::image:
      if (bytes != sizeof(cl_mem)) return CL_INVALID_ARG_SIZE;
      if (value != nullptr) argument.memory = *static_cast<const cl_mem*>(value);
      break;
    case ArgumentKind::local:
      if (value != nullptr) return CL_INVALID_ARG_VALUE;
      if (bytes == 0) return CL_INVALID_ARG_SIZE;
      argument.local_bytes = bytes;
      break;
    case ArgumentKind::sampler:
      if (bytes != sizeof(cl_sampler)) return CL_INVALID_ARG_SIZE;
      break;
    case ArgumentKind::value:
      if (value == nullptr) return CL_INVALID_ARG_VALUE;
      if (parameter.bytes != 0 && parameter.bytes != bytes) return CL_INVALID_ARG_SIZE;
      argument.bytes.resize(bytes);
      std::memcpy(argument.bytes.data(), value, bytes);
      break;
  }
  kernel->arguments[index] = std::move(argument);
  return CL_SUCCESS;
}

cl_int get_kernel_info(cl_kernel kernel, cl_kernel_info name, std::size_t size, void* out, std::size_t* size_out) {
  if (const cl_int failed = record("clGetKernelInfo"); failed != CL_SUCCESS) return failed;
  if (name == CL_KERNEL_FUNCTION_NAME) return answer_text(kernel->text.name, size, out, size_out);
  if (name != CL_KERNEL_NUM_ARGS) return CL_INVALID_VALUE;
  return answer_value(static_cast<cl_uint>(kernel->arguments.size()), size, out, size_out);
}

cl_int get_kernel_arg_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, std::size_t size, void* out,
                           std::size_t* size_out) {
  if (const cl_int failed = record("clGetKernelArgInfo"); failed != CL_SUCCESS) return failed;
  if (index >= kernel->text.parameters.size()) return CL_INVALID_ARG_INDEX;
  const Parameter& parameter = kernel->text.parameters[index];
  const bool pointer = parameter.kind == ArgumentKind::buffer || parameter.kind == ArgumentKind::local;
  switch (name) {
    case CL_KERNEL_ARG_NAME:
      return answer_text(parameter.name, size, out, size_out);
    case CL_KERNEL_ARG_TYPE_NAME:
      return answer_text(parameter.type + (pointer ? "*" : ""), size, out, size_out);
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER: {
      cl_kernel_arg_address_qualifier where = CL_KERNEL_ARG_ADDRESS_PRIVATE;
      if (parameter.kind == ArgumentKind::buffer || parameter.kind == ArgumentKind::image) {
        where = CL_KERNEL_ARG_ADDRESS_GLOBAL;
      }
      if (parameter.kind == ArgumentKind::local) where = CL_KERNEL_ARG_ADDRESS_LOCAL;
      return answer_value(where, size, out, size_out);
    }
    default:
      return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
  }
}

// A compiler that needs 37 registers for each kernel, and keeps what has no room in them in a work-item's memory.
cl_ulong spilled_bytes(const std::string& options) {
  constexpr std::string_view kLimit = "-cl-nv-maxrregcount=";
  constexpr unsigned long kNeeded = 37;
  const std::size_t at = options.find(kLimit);
  const unsigned long most = at == std::string::npos ? kNeeded : std::stoul(options.substr(at + kLimit.size()));
  return most < kNeeded ? (kNeeded - most) * 16 : 0;
}

cl_int get_work_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, std::size_t size,
                           void* out, std::size_t* size_out) {
  if (const cl_int failed = record("clGetKernelWorkGroupInfo"); failed != CL_SUCCESS) return failed;
  const std::size_t none[3] = {0, 0, 0};
  switch (name) {
    case CL_KERNEL_WORK_GROUP_SIZE:
      return answer_value(std::size_t{like_nvidia(device) ? 256u : 1024u}, size, out, size_out);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
      return answer_value(std::size_t{32}, size, out, size_out);
    case CL_KERNEL_LOCAL_MEM_SIZE:
      return answer_value(cl_ulong{0}, size, out, size_out);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
      return answer_value(spilled_bytes(kernel->program->options), size, out, size_out);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
      return answer(none, sizeof none, size, out, size_out);
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int release_program(cl_program program) { return record("clReleaseProgram"), released(program); }
cl_int release_kernel(cl_kernel kernel) { return record("clReleaseKernel"), released(kernel); }

}  // namespace

void hold_builds(unsigned devices) {
  const std::lock_guard lock(builds().mutex);
  builds().held = devices;
  builds().changed.notify_all();
}

int builds_held() {
  Builds& b = builds();
  const std::lock_guard lock(b.mutex);
  return b.held == 0 ? 0 : b.waiting;
}

std::size_t builds_ended(unsigned device) {
  const std::lock_guard lock(builds().mutex);
  return builds().ended[device];
}

void fail_builds(unsigned devices) {
  const std::lock_guard lock(builds().mutex);
  builds().failing = devices;
}

void fill_program_table(cl_icd_dispatch& table) {
  table.clCreateProgramWithSource = create_with_source;
  table.clCreateProgramWithBinary = create_with_binary;
  table.clBuildProgram = build_program;
  table.clCompileProgram = compile_program;
  table.clLinkProgram = link_program;
  table.clGetProgramInfo = get_program_info;
  table.clGetProgramBuildInfo = get_build_info;
  table.clReleaseProgram = release_program;
  table.clCreateKernel = create_kernel;
  table.clReleaseKernel = release_kernel;
  table.clSetKernelArg = set_kernel_arg;
  table.clGetKernelInfo = get_kernel_info;
  table.clGetKernelArgInfo = get_kernel_arg_info;
  table.clGetKernelWorkGroupInfo = get_work_group_info;
}

}  // namespace stub
