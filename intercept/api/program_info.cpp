// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "intercept/api/device_list.h"
#include "intercept/api/dispatch.h"
#include "intercept/api/entry.h"
#include "intercept/api/info.h"
#include "intercept/api/platform.h"
#include "intercept/build/container.h"
#include "intercept/build/vendor_build.h"

namespace skmd::icd::api {
namespace {

/// Null while nothing is built.
std::shared_ptr<const std::string> binary_of(Program& program) {
  const auto build = program.state().build;
  if (build == nullptr) return nullptr;
  return program.binary(build, [&] {
    return pack_program(*build,
                        build->native == nullptr ? build->blobs : collect_blobs(program.machine(), build->native));
  });
}

Status binary_sizes(Program& program, const InfoQuery& query, bool wanted) {
  std::vector<size_t> sizes(program.devices().size(), 0);
  const auto binary = wanted ? binary_of(program) : nullptr;      // else only the size of the answer is asked for
  for (size_t i = 0; i < sizes.size() && binary != nullptr; ++i)  // one binary serves all that have the program
    if (program.is_built_for(*program.devices()[i])) sizes[i] = binary->size();
  return query.list(sizes);
}

/// The value is an array of the application's pointers, one per device; NULL entries are skipped.
Status write_binaries(Program& program, size_t size, void* value, size_t* size_ret) {
  const size_t whole = program.devices().size() * sizeof(unsigned char*);
  if (value != nullptr && size < whole)
    return Error{CL_INVALID_VALUE,
                 "param_value_size " + std::to_string(size) + " is less than one pointer for each device"};
  if (value != nullptr) {
    const auto binary = binary_of(program);
    for (size_t i = 0; i < program.devices().size(); ++i) {
      unsigned char* target = nullptr;
      std::memcpy(&target, static_cast<unsigned char*>(value) + i * sizeof target, sizeof target);
      if (target != nullptr && binary != nullptr && program.is_built_for(*program.devices()[i]))
        std::memcpy(target, binary->data(), binary->size());  // NOLINT(bugprone-not-null-terminated-result): no text
    }
  }
  if (size_ret != nullptr) *size_ret = whole;
  return {};
}

Result<std::shared_ptr<const ProgramBuild>> built(const Program& program) {
  auto build = program.executable();
  if (build == nullptr) return Error{CL_INVALID_PROGRAM_EXECUTABLE, "the program has no successful build"};
  return build;
}

Status kernel_query(const Program& program, const InfoQuery& query) {
  const auto build = built(program);
  if (!build) return build.error();
  if (query.name() == CL_PROGRAM_NUM_KERNELS) return query.value<size_t>((*build)->kernels.size());
  std::string names;
  for (const auto& kernel : (*build)->kernels) names += (names.empty() ? "" : ";") + kernel->traits().name;
  return query.text(names);
}

}  // namespace

cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info name, size_t size, void* value,
                                    size_t* size_ret) {
  return entry("clGetProgramInfo", [&]() -> Status {
    const auto object = borrow<Program>(program);
    if (!object) return object.error();
    Program& self = **object;
    const InfoQuery query(name, size, value, size_ret);
    switch (name) {
      case CL_PROGRAM_REFERENCE_COUNT:
        return query.value<cl_uint>(self.slot()->references.load());
      case CL_PROGRAM_CONTEXT:
        return query.value<cl_context>(handle_of(self.context()));
      case CL_PROGRAM_NUM_DEVICES:
        return query.value<cl_uint>(static_cast<cl_uint>(self.devices().size()));
      case CL_PROGRAM_DEVICES:
        return query.list(handles_of(self.devices()));
      case CL_PROGRAM_SOURCE:
        return query.text(self.source());
      case CL_PROGRAM_BINARY_SIZES:
        return binary_sizes(self, query, value != nullptr);
      case CL_PROGRAM_BINARIES:
        return write_binaries(self, size, value, size_ret);
      case CL_PROGRAM_NUM_KERNELS:
      case CL_PROGRAM_KERNEL_NAMES:
        return kernel_query(self, query);
      case CL_PROGRAM_IL:
        return query.bytes(nullptr, 0);
      case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
      case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return query.value<cl_bool>(CL_FALSE);
      default:
        return query.unknown();
    }
  });
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name,
                                         size_t size, void* value, size_t* size_ret) {
  return entry("clGetProgramBuildInfo", [&]() -> Status {
    const auto object = borrow<Program>(program);
    if (!object) return object.error();
    const auto of_device = borrow<VirtualDevice>(device);
    if (!of_device) return of_device.error();
    const auto& devices = (*object)->devices();
    if (std::find(devices.begin(), devices.end(), *of_device) == devices.end())
      return Error{CL_INVALID_DEVICE, "the device is none of the program's"};
    const Program::State state = (*object)->state_for(**of_device);
    const InfoQuery query(name, size, value, size_ret);
    switch (name) {
      case CL_PROGRAM_BUILD_STATUS:
        return query.value<cl_build_status>(state.status);
      case CL_PROGRAM_BUILD_OPTIONS:
        return query.text(state.options);
      case CL_PROGRAM_BUILD_LOG:
        return query.text(state.log);
      case CL_PROGRAM_BINARY_TYPE:
        return query.value<cl_program_binary_type>(state.build != nullptr ? state.build->type
                                                                          : CL_PROGRAM_BINARY_TYPE_NONE);
      case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return query.value<size_t>(0);
      default:
        return query.unknown();
    }
  });
}

}  // namespace skmd::icd::api
