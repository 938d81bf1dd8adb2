// SPDX-License-Identifier: Apache-2.0
// Checks that buffers, sub-buffers and images share.
#pragma once

#include <vector>

#include "intercept/api/entry.h"
#include "intercept/object/memory.h"

namespace skmd::icd::api {

inline constexpr cl_mem_flags kAccessFlags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
inline constexpr cl_mem_flags kHostAccessFlags = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
inline constexpr cl_mem_flags kHostPointerFlags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/// CL_INVALID_VALUE: unknown bits, and pairs that exclude each other. Vendors' hints are taken (vendor_extras.h).
Status check_memory_flags(cl_mem_flags flags);
/// CL_INVALID_HOST_PTR: a pointer is given if and only if a flag wants one.
Status check_host_pointer(cl_mem_flags flags, const void* host_ptr);
/// Flags of a view of `parent`: absent ones are inherited, host-pointer flags always; CL_INVALID_VALUE if they widen.
Result<cl_mem_flags> view_flags(cl_mem_flags flags, const Memory& parent);
/// The list as given, final 0 included. CL_INVALID_PROPERTY: all but vendors' hints (vendor_extras.h), and doubles.
Result<std::vector<cl_mem_properties>> read_memory_properties(const cl_mem_properties* list);
/// CL_MEM_OBJECT_ALLOCATION_FAILURE: with `bytes` more, live objects exceed CL_DEVICE_GLOBAL_MEM_SIZE.
Status check_memory_left(std::uint64_t bytes);

}  // namespace skmd::icd::api
