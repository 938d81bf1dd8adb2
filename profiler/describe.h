// SPDX-License-Identifier: Apache-2.0
// The extension functions of the SKMD platform: what the commands need beyond the OpenCL API, as JSON documents.
// The library answers them by name (clGetExtensionFunctionAddress and clGetExtensionFunctionAddressForPlatform).
// Nothing here is included by the library, and nothing of the library here: commands are ordinary OpenCL clients.
//
// clSkmdDescribe, conventions of clGet*Info: the document's bytes and its final NUL. A null `platform` means the one
// there is; without a platform there is no document, and SKMD_LOG=error says why.
//
// Document, version 1; unknown keys are to be ignored, absent ones mean unknown:
//   {"version":1,"anchor":0,
//    "devices":[{"name":"…","platform":"…","kind":"cpu|gpu|accelerator","backend":"cpu-driver|icd", …}],
//    "left_out":["name: reason"],
//    "virtual_device":{"name":"…", …},
//    "settings":{…},
//    "kernels":[{"name":"…","program":"content hash","access":"contiguous|discontiguous", …}]}
//
// clSkmdCalibrate measures for about so many `seconds`, above 0 and at most 3600. It calls `progress`, which may be
// null, with the part that is done (0 to 1) and what comes next, then `answer` once with a document; both on the
// caller's thread, and neither may throw. Bytes and seconds are plain numbers:
//   {"version":1,"problems":["name: reason"],
//    "devices":[{"platform","device","driver","units","launch_seconds","box_seconds","first_use_seconds","cache_bytes",
//                "cache_bytes_per_second","memory_bytes_per_second","host_cores","bandwidth":[[bytes,bytes per
//                second]]}],
//    "links":[{"platform","device","driver","units","direction":"to|from","in_place",
//              "direct|pinned|staged":null or
//              {"latency_seconds","bytes_per_second","threads","points":[[bytes,seconds]]},
//              "beside_links|beside_kernels":[{"device","bytes_per_second","other_bytes_per_second"}]}]}
// clSkmdEnqueueRest enqueues a launch that another process began: as clEnqueueNDRangeKernel() with a local size, but
// only groups that are left run, as the `rest_size` bytes at `rest` tell (profiler/checkpoint/launch_codec.h). Their
// buffers hold what the other groups left there. CL_INVALID_VALUE: these bytes are not right; CL_OUT_OF_RESOURCES: no
// device can go on with groups that were stopped inside.
#pragma once

#include <CL/cl.h>

#include <cstddef>

inline constexpr const char* kDescribeFunction = "clSkmdDescribe";
using DescribeFunction = cl_int(CL_API_CALL*)(cl_platform_id platform, std::size_t size, char* text,
                                              std::size_t* size_ret);

inline constexpr const char* kRestFunction = "clSkmdEnqueueRest";
using RestFunction = cl_int(CL_API_CALL*)(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                          const std::size_t* offset, const std::size_t* global,
                                          const std::size_t* local, std::size_t rest_size, const void* rest,
                                          cl_event* event);

inline constexpr const char* kCalibrateFunction = "clSkmdCalibrate";
using CalibrationProgress = void(CL_CALLBACK*)(double part, const char* what, void* user);
using CalibrationAnswer = void(CL_CALLBACK*)(const char* json, void* user);
using CalibrateFunction = cl_int(CL_API_CALL*)(cl_platform_id platform, cl_double seconds, CalibrationProgress progress,
                                               CalibrationAnswer answer, void* user);
