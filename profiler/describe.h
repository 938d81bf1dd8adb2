// SPDX-License-Identifier: Apache-2.0
// The one extension function of the SKMD platform: what the commands need beyond the OpenCL API, as one JSON document.
// The library answers it (clGetExtensionFunctionAddress and clGetExtensionFunctionAddressForPlatform, by the name below);
// nothing here is included by the library, so that commands stay ordinary OpenCL clients.
//
// Contract:
// - clSkmdDescribe follows clGet*Info: `size` bytes at `value` (may be null), the document's bytes with its final NUL in
//   `size_ret` (may be null). CL_INVALID_VALUE when `value` is given and `size` is too small, or when both are null.
// - It may be called before clGetPlatformIDs, and works when no platform can be offered: then "error" says why (a selector that
//   matched nothing, a wrong SKMD_PARTITION) and the other keys hold what is known. It never fails for such a reason.
// - Document, version 1 (keys in any order, unknown keys are to be ignored):
//   {"version":1,
//    "error":"",                                       reason for which there is no virtual device; empty: there is one
//    "devices":[{"name":"…","platform":"…","kind":"cpu|gpu|accelerator","backend":"cpu-driver|icd","discrete":true,
//                "anchor":false,"compute_units":0,"global_bytes":0,"driver":"…"}],
//    "left_out":["name: reason"],
//    "virtual_device":{"name":"…","version":"…","driver":"…","compute_units":0,"global_bytes":0,"max_alloc_bytes":0,
//                      "local_bytes":0,"max_group":0,"extensions":"…"},
//    "settings":{"partition":"auto","split_mixed":false,"verify":false,"cache_dir":"…"},
//    "kernels":[{"name":"…","program":"content hash","access":"contiguous|discontiguous",
//                "split":"yes" or a reason of the stats schema's closed list,"form":"untouched|partition_ready"}]}
//   "kernels" are those in the cache folder; objects may carry more keys.
#pragma once

#include <CL/cl.h>

#include <cstddef>

inline constexpr const char* kDescribeFunction = "clSkmdDescribe";
using DescribeFunction = cl_int(CL_API_CALL*)(std::size_t size, void* value, std::size_t* size_ret);
