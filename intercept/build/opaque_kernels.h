// SPDX-License-Identifier: Apache-2.0
// The kernels of a program that our front end could not take, as its vendor describes them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "intercept/backend/port/port.h"
#include "partitioner/traits/traits.h"

namespace skmd::icd {

/// Name, parameters and required local size of each kernel. Parameters that the vendor does not tell are
/// ParameterKind::other.
Result<std::vector<domain::KernelTraits>> opaque_kernels(Device& device, const std::shared_ptr<NativeProgram>& program);

/// What clGetKernelArgInfo says of one parameter, as a Parameter; by-value types of unknown size get size 0.
domain::Parameter parameter_from(cl_kernel_arg_address_qualifier address, cl_kernel_arg_access_qualifier access,
                                 const std::string& type_name);

}  // namespace skmd::icd
