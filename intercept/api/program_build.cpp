// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "intercept/api/device_list.h"
#include "intercept/api/dispatch.h"
#include "intercept/api/entry.h"
#include "intercept/build/build.h"

namespace skmd::icd::api {
namespace {

using Callback = void(CL_CALLBACK*)(cl_program, void*);

using Devices = std::vector<Ref<VirtualDevice>>;

Result<Devices> check_call(const Context& context, cl_uint num_devices, const cl_device_id* devices, Callback callback,
                           const void* user_data) {
  if (callback == nullptr && user_data != nullptr) return Error{CL_INVALID_VALUE, "user_data without pfn_notify"};
  return read_devices_of(context, num_devices, devices);
}

/// CL_INVALID_DEVICE: "if any device in device_list is not in the list of devices associated with program".
Result<Devices> check_call(const Program& program, cl_uint num_devices, const cl_device_id* devices, Callback callback,
                           const void* user_data) {
  auto list = check_call(*program.context(), num_devices, devices, callback, user_data);
  if (!list || devices == nullptr) return list ? Result<Devices>(Devices()) : list;
  const Devices& own = program.devices();
  for (const Ref<VirtualDevice>& device : *list)
    if (std::find(own.begin(), own.end(), device) == own.end())
      return Error{CL_INVALID_DEVICE, "a device of the list is none of the program's"};
  return list;
}

std::string text_of(const char* options) { return options != nullptr ? options : ""; }

Result<std::vector<compiler::Header>> read_headers(cl_uint count, const cl_program* programs, const char** names) {
  std::vector<compiler::Header> headers;
  if ((count == 0) != (programs == nullptr) || (count == 0) != (names == nullptr))
    return Error{CL_INVALID_VALUE, "num_input_headers " + std::to_string(count) + " does not agree with the lists"};
  for (cl_uint i = 0; i < count; ++i) {
    const auto header = borrow<Program>(programs[i]);
    if (!header) return Error{CL_INVALID_PROGRAM, "header " + std::to_string(i) + " is no program"};
    if ((*header)->origin() != Program::Origin::source)
      return Error{CL_INVALID_PROGRAM, "header " + std::to_string(i) + " has no source"};
    if (names[i] == nullptr) return Error{CL_INVALID_VALUE, "the name of header " + std::to_string(i) + " is NULL"};
    headers.push_back({names[i], (*header)->source()});
  }
  return headers;
}

Result<std::vector<Ref<Program>>> read_inputs(cl_uint count, const cl_program* programs, const Context& context) {
  if (count == 0 || programs == nullptr) return Error{CL_INVALID_VALUE, "no input programs"};
  std::vector<Ref<Program>> out;
  for (cl_uint i = 0; i < count; ++i) {
    auto input = borrow<Program>(programs[i]);
    if (!input) return Error{CL_INVALID_PROGRAM, "input program " + std::to_string(i) + " is no program"};
    if ((*input)->context().get() != &context)
      return Error{CL_INVALID_CONTEXT, "input program " + std::to_string(i) + " belongs to another context"};
    out.push_back(std::move(*input));
  }
  return out;
}

}  // namespace

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id* devices,
                                  const char* options, Callback callback, void* user_data) {
  return entry("clBuildProgram", [&]() -> Status {
    const auto object = borrow<Program>(program);
    if (!object) return object.error();
    auto target = check_call(**object, num_devices, devices, callback, user_data);
    if (!target) return target.error();
    (*object)->aim(std::move(*target));
    return build_program(*object, text_of(options), {callback, user_data});
  });
}

cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint num_devices, const cl_device_id* devices,
                                    const char* options, cl_uint num_headers, const cl_program* headers,
                                    const char** names, Callback callback, void* user_data) {
  return entry("clCompileProgram", [&]() -> Status {
    const auto object = borrow<Program>(program);
    if (!object) return object.error();
    auto target = check_call(**object, num_devices, devices, callback, user_data);
    if (!target) return target.error();
    auto list = read_headers(num_headers, headers, names);
    if (!list) return list.error();
    (*object)->aim(std::move(*target));
    return compile_program(*object, text_of(options), std::move(*list), {callback, user_data});
  });
}

cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint num_devices, const cl_device_id* devices,
                                     const char* options, cl_uint num_inputs, const cl_program* inputs,
                                     Callback callback, void* user_data, cl_int* errcode_ret) {
  cl_int code = CL_SUCCESS;
  bool failed = false;
  cl_program made = entry("clLinkProgram", &code, [&]() -> Result<cl_program> {
    const auto owner = borrow<Context>(context);
    if (!owner) return owner.error();
    auto target = check_call(**owner, num_devices, devices, callback, user_data);
    if (!target) return target.error();
    const auto list = read_inputs(num_inputs, inputs, **owner);
    if (!list) return list.error();
    auto program = link_program(*owner, text_of(options), *list, {callback, user_data});
    if (!program) return program.error();
    (*program)->associate(std::move(*target));
    failed = callback == nullptr && (*program)->state().status == CL_BUILD_ERROR;
    return handle_of(*program);
  });
  // The one call that gives an object and an error: the object holds the log.
  if (failed) code = CL_LINK_PROGRAM_FAILURE;
  if (errcode_ret != nullptr) *errcode_ret = code;
  return made;
}

}  // namespace skmd::icd::api
