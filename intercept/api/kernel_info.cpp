// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "intercept/api/dispatch.h"
#include "intercept/api/entry.h"
#include "intercept/api/info.h"
#include "intercept/api/platform.h"
#include "intercept/object/kernel.h"
#include "intercept/object/program.h"

namespace skmd::icd::api {
namespace {

Status argument_query(const domain::Parameter& parameter, const InfoQuery& query) {
  switch (query.name()) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
      return query.value<cl_kernel_arg_address_qualifier>(parameter.address_qualifier);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
      return query.value<cl_kernel_arg_access_qualifier>(parameter.access_qualifier);
    case CL_KERNEL_ARG_TYPE_NAME:
      return query.text(parameter.type_name);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
      return query.value<cl_kernel_arg_type_qualifier>(parameter.type_qualifier);
    case CL_KERNEL_ARG_NAME:
      return query.text(parameter.name);
    default:
      return query.unknown();
  }
}

/// CL_INVALID_DEVICE: "if device is not in the list of devices associated with kernel or if device is NULL but there is
/// more than one device associated with kernel".
Status check_device(const Kernel& kernel, cl_device_id device) {
  const auto& devices = kernel.program().devices();
  if (device == nullptr && devices.size() == 1) return {};
  for (const Ref<VirtualDevice>& own : devices)
    if (handle_of(own) == device) return {};
  return Error{CL_INVALID_DEVICE,
               device == nullptr ? "device is NULL and the kernel has several" : "device is none of the kernel's"};
}

}  // namespace

cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size, void* value, size_t* size_ret) {
  return entry("clGetKernelInfo", [&]() -> Status {
    const auto object = borrow<Kernel>(kernel);
    if (!object) return object.error();
    const Kernel& self = **object;
    const domain::KernelTraits& traits = self.built()->traits();
    const InfoQuery query(name, size, value, size_ret);
    switch (name) {
      case CL_KERNEL_FUNCTION_NAME:
        return query.text(traits.name);
      case CL_KERNEL_NUM_ARGS:
        return query.value<cl_uint>(static_cast<cl_uint>(traits.parameters.size()));
      case CL_KERNEL_REFERENCE_COUNT:
        return query.value<cl_uint>(self.slot()->references.load());
      case CL_KERNEL_CONTEXT:
        return query.value<cl_context>(handle_of(self.program().context()));
      case CL_KERNEL_PROGRAM:
        return query.value<cl_program>(handle_of(self.program()));
      case CL_KERNEL_ATTRIBUTES:
        return query.text(self.program().origin() == Program::Origin::binary ? std::string() : traits.attributes);
      default:
        return query.unknown();
    }
  });
}

cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, size_t size,
                                      void* value, size_t* size_ret) {
  return entry("clGetKernelArgInfo", [&]() -> Status {
    const auto object = borrow<Kernel>(kernel);
    if (!object) return object.error();
    const auto& parameters = (*object)->built()->traits().parameters;
    if (index >= parameters.size())
      return Error{CL_INVALID_ARG_INDEX, "arg_index " + std::to_string(index) + " of a kernel with " +
                                             std::to_string(parameters.size()) + " arguments"};
    const auto build = (*object)->program().executable();  // kernels keep their program from being built again
    if (build == nullptr || !build->answer.kernel_arg_info)
      return Error{CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "the program was built without -cl-kernel-arg-info"};
    if (parameters[index].kind == domain::ParameterKind::other)
      return Error{CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "the vendor does not describe this argument"};
    return argument_query(parameters[index], InfoQuery(name, size, value, size_ret));
  });
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name,
                                            size_t size, void* value, size_t* size_ret) {
  return entry("clGetKernelWorkGroupInfo", [&]() -> Status {
    const auto object = borrow<Kernel>(kernel);
    if (!object) return object.error();
    if (Status status = check_device(**object, device); !status) return status;
    BuiltKernel& built = *(*object)->built();
    const auto& required = built.traits().required_local;
    const InfoQuery query(name, size, value, size_ret);
    switch (name) {
      case CL_KERNEL_WORK_GROUP_SIZE:
        return query.value<size_t>(built.told().work_group_size);
      case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return query.value<std::array<size_t, 3>>({required[0], required[1], required[2]});
      case CL_KERNEL_LOCAL_MEM_SIZE:
        return query.value<cl_ulong>(built.told().local_bytes + (*object)->local_argument_bytes());
      case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return query.value<size_t>(built.told().preferred_multiple);
      case CL_KERNEL_PRIVATE_MEM_SIZE:
        return query.value<cl_ulong>(built.told().private_bytes);
      case CL_KERNEL_GLOBAL_WORK_SIZE:
        return Error{CL_INVALID_VALUE, "CL_KERNEL_GLOBAL_WORK_SIZE asks for a custom device or built-in kernel"};
      default:
        return query.unknown();
    }
  });
}

}  // namespace skmd::icd::api
