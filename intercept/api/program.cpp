// SPDX-License-Identifier: Apache-2.0
// Making and counting programs.
#include "intercept/object/program.h"

#include <cstring>

#include "intercept/api/device_list.h"
#include "intercept/api/dispatch.h"
#include "intercept/api/entry.h"
#include "intercept/build/container.h"

namespace skmd::icd::api {
namespace {

Result<std::string> join_sources(cl_uint count, const char** strings, const size_t* lengths) {
  if (count == 0 || strings == nullptr) return Error{CL_INVALID_VALUE, "no strings"};
  std::string text;
  for (cl_uint i = 0; i < count; ++i) {
    if (strings[i] == nullptr) return Error{CL_INVALID_VALUE, "string " + std::to_string(i) + " is NULL"};
    const size_t length = lengths != nullptr && lengths[i] != 0 ? lengths[i] : std::strlen(strings[i]);
    text.append(strings[i], length);
  }
  return text;
}

struct BinaryList {
  cl_uint count;
  const cl_device_id* devices;
  const size_t* lengths;
  const unsigned char** binaries;
  cl_int* status;  // may be NULL
};

Status check_binaries(const Context& context, const BinaryList& list) {
  if (list.count == 0 || list.devices == nullptr) return Error{CL_INVALID_VALUE, "no devices"};
  if (list.lengths == nullptr || list.binaries == nullptr)
    return Error{CL_INVALID_VALUE, "lengths or binaries is NULL"};
  if (const auto devices = read_devices_of(context, list.count, list.devices); !devices) return devices.error();
  Status result;
  for (cl_uint i = 0; i < list.count; ++i) {
    const bool empty = list.lengths[i] == 0 || list.binaries[i] == nullptr;
    if (list.status != nullptr) list.status[i] = empty ? CL_INVALID_VALUE : CL_SUCCESS;
    if (empty) result = Error{CL_INVALID_VALUE, "binary " + std::to_string(i) + " is NULL or empty"};
  }
  return result;
}

Result<cl_program> program_from_binaries(const Ref<Context>& context, const BinaryList& list) {
  if (Status status = check_binaries(*context, list); !status) return status.error();
  std::shared_ptr<ProgramBuild> build;
  for (cl_uint i = 0; i < list.count; ++i) {  // one binary serves the whole and all of its parts
    auto unpacked = unpack_program({reinterpret_cast<const char*>(list.binaries[i]), list.lengths[i]});
    if (!unpacked) {
      if (list.status != nullptr) list.status[i] = CL_INVALID_BINARY;
      return unpacked.error();
    }
    build = std::move(*unpacked);
  }
  auto program = make_object<Program>(context, Program::Origin::binary, std::string());
  program->load(std::move(build));
  program->associate(*read_devices_of(*context, list.count, list.devices));
  return give(program);
}

}  // namespace

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count, const char** strings,
                                                 const size_t* lengths, cl_int* errcode_ret) {
  return entry("clCreateProgramWithSource", errcode_ret, [&]() -> Result<cl_program> {
    auto owner = borrow<Context>(context);
    if (!owner) return owner.error();
    auto text = join_sources(count, strings, lengths);
    if (!text) return text.error();
    return give(make_object<Program>(*owner, Program::Origin::source, std::move(*text)));
  });
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint num_devices, const cl_device_id* devices,
                                                 const size_t* lengths, const unsigned char** binaries,
                                                 cl_int* binary_status, cl_int* errcode_ret) {
  return entry("clCreateProgramWithBinary", errcode_ret, [&]() -> Result<cl_program> {
    const auto owner = borrow<Context>(context);
    if (!owner) return owner.error();
    return program_from_binaries(*owner, {num_devices, devices, lengths, binaries, binary_status});
  });
}

cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                                         const cl_device_id* devices, const char* names,
                                                         cl_int* errcode_ret) {
  return entry("clCreateProgramWithBuiltInKernels", errcode_ret, [&]() -> Result<cl_program> {
    const auto owner = borrow<Context>(context);
    if (!owner) return owner.error();
    if (num_devices == 0 || devices == nullptr) return Error{CL_INVALID_VALUE, "no devices"};
    if (const auto list = read_devices_of(**owner, num_devices, devices); !list) return list.error();
    return Error{CL_INVALID_VALUE, std::string("no built-in kernel ") + (names != nullptr ? names : "NULL")};
  });
}

cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program, cl_uint, size_t, const void*) {
  return entry("clSetProgramSpecializationConstant", [&]() -> Status {
    const auto object = borrow<Program>(program);
    if (!object) return object.error();
    if ((*object)->origin() == Program::Origin::source)
      return Error{CL_INVALID_PROGRAM, "the program was made from source"};
    return Error{CL_INVALID_OPERATION, "the device takes no intermediate language"};
  });
}

cl_int CL_API_CALL clRetainProgram(cl_program program) { return retain_handle<Program>("clRetainProgram", program); }
cl_int CL_API_CALL clReleaseProgram(cl_program program) { return release_handle<Program>("clReleaseProgram", program); }

}  // namespace skmd::icd::api
