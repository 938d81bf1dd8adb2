// SPDX-License-Identifier: Apache-2.0
// The one extension function of the SKMD platform: what the commands need beyond the OpenCL API, as one JSON document.
// The library answers it by name (clGetExtensionFunctionAddress and clGetExtensionFunctionAddressForPlatform). Nothing
// here is included by the library, and nothing of the library here: commands are ordinary OpenCL clients.
//
// Conventions of clGet*Info: the document's bytes and its final NUL. A null `platform` means the one there is; without
// a platform there is no document, and SKMD_LOG=error says why.
//
// Document, version 1; unknown keys are to be ignored, absent ones mean unknown:
//   {"version":1,"anchor":0,
//    "devices":[{"name":"…","platform":"…","kind":"cpu|gpu|accelerator","backend":"cpu-driver|icd", …}],
//    "left_out":["name: reason"],
//    "virtual_device":{"name":"…", …},
//    "settings":{…},
//    "kernels":[{"name":"…","program":"content hash","access":"contiguous|discontiguous", …}]}
#pragma once

#include <CL/cl.h>

#include <cstddef>

inline constexpr const char* kDescribeFunction = "clSkmdDescribe";
using DescribeFunction = cl_int(CL_API_CALL*)(cl_platform_id platform, std::size_t size, char* text,
                                              std::size_t* size_ret);
