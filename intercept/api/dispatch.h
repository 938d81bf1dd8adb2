// SPDX-License-Identifier: Apache-2.0
// The entry points, as the header's dispatch table types them, and the table itself; both from dispatch.def.
#pragma once

#include <CL/cl_icd.h>

#include <type_traits>

namespace skmd::icd::api {

#define PRESENT(name) std::remove_pointer_t<decltype(cl_icd_dispatch::name)> name;
#define ABSENT(name, error)
#define ABSENT_UNTYPED(name, type)
#include "intercept/api/dispatch.def"
#undef PRESENT
#undef ABSENT
#undef ABSENT_UNTYPED

/// cl_khr_suggested_local_work_size. Has no slot: found by name.
cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                                        const size_t* offset, const size_t* global, size_t* suggestion);

const cl_icd_dispatch& dispatch_table();

/// The entry point of that name (core functions of the table and our extension functions), or null.
void* function_address(const char* name);

}  // namespace skmd::icd::api
