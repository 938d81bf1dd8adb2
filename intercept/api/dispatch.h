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

const cl_icd_dispatch& dispatch_table();

/// The entry point of that name (core functions of the table and our extension functions), or null.
void* function_address(const char* name);

}  // namespace skmd::icd::api
