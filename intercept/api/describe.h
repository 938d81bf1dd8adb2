// SPDX-License-Identifier: Apache-2.0
// Our one extension function: what skmd-info and its relatives need beyond the API, as JSON.
#pragma once

#include <CL/cl.h>

namespace skmd::icd::api {

/// Found by clGetExtensionFunctionAddressForPlatform("clSkmdDescribe"). Conventions of clGet…Info: the JSON text counts
/// its NUL. Keys: "version", "anchor" (index), "devices" (those of the stats, with platform, space, arithmetic,
/// limits), "left_out" (reasons), "hosts" (other machines, and whether they are away), "virtual_device" (its info),
/// "settings", "kernels" (of programs built in this process).
cl_int CL_API_CALL clSkmdDescribe(cl_platform_id platform, size_t size, char* text, size_t* size_ret);

}  // namespace skmd::icd::api
