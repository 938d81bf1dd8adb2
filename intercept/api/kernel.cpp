// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/kernel.h"

#include "intercept/api/dispatch.h"
#include "intercept/api/entry.h"
#include "intercept/object/program.h"

namespace skmd::icd::api {
namespace {

Result<std::shared_ptr<const ProgramBuild>> executable_of(const Program& program) {
  auto build = program.executable();
  if (build == nullptr) return Error{CL_INVALID_PROGRAM_EXECUTABLE, "the program has no successful build"};
  return build;
}

Status give_all(const Ref<Program>& program, const ProgramBuild& build, cl_kernel* kernels) {
  std::vector<Ref<Kernel>> made;
  for (const auto& built : build.kernels) made.push_back(make_object<Kernel>(program, built));
  for (size_t i = 0; i < made.size(); ++i) {
    const auto handle = give(made[i]);
    if (!handle) {
      for (size_t j = 0; j < i; ++j) release(*made[j]->slot());
      return handle.error();
    }
  }
  for (size_t i = 0; i < made.size(); ++i) kernels[i] = handle_of(made[i]);
  return {};
}

}  // namespace

cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char* name, cl_int* errcode_ret) {
  return entry("clCreateKernel", errcode_ret, [&]() -> Result<cl_kernel> {
    const auto object = borrow<Program>(program);
    if (!object) return object.error();
    const auto build = executable_of(**object);
    if (!build) return build.error();
    if (name == nullptr) return Error{CL_INVALID_VALUE, "kernel_name is NULL"};
    for (const auto& built : (*build)->kernels)
      if (built->traits().name == name) return give(make_object<Kernel>(*object, built));
    return Error{CL_INVALID_KERNEL_NAME, std::string("the program has no kernel ") + name};
  });
}

cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel* kernels,
                                            cl_uint* num_kernels_ret) {
  return entry("clCreateKernelsInProgram", [&]() -> Status {
    const auto object = borrow<Program>(program);
    if (!object) return object.error();
    const auto build = executable_of(**object);
    if (!build) return build.error();
    const size_t count = (*build)->kernels.size();
    if (kernels != nullptr) {
      if (num_kernels < count)
        return Error{CL_INVALID_VALUE,
                     "num_kernels " + std::to_string(num_kernels) + " is less than " + std::to_string(count)};
      if (Status status = give_all(*object, **build, kernels); !status) return status;
    }
    if (num_kernels_ret != nullptr) *num_kernels_ret = static_cast<cl_uint>(count);
    return {};
  });
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  return entry("clSetKernelArg", [&]() -> Status {
    Kernel* object = find<Kernel>(kernel);
    if (object == nullptr) return Error{CL_INVALID_KERNEL, "the handle is null, not ours or was released"};
    return object->set_argument(index, size, value);
  });
}

cl_kernel CL_API_CALL clCloneKernel(cl_kernel kernel, cl_int* errcode_ret) {
  return entry("clCloneKernel", errcode_ret, [&]() -> Result<cl_kernel> {
    const auto object = borrow<Kernel>(kernel);
    if (!object) return object.error();
    return give((*object)->clone());
  });
}

cl_int CL_API_CALL clRetainKernel(cl_kernel kernel) { return retain_handle<Kernel>("clRetainKernel", kernel); }
cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel) { return release_handle<Kernel>("clReleaseKernel", kernel); }

}  // namespace skmd::icd::api
