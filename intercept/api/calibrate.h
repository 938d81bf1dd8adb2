// SPDX-License-Identifier: Apache-2.0
// An extension function of ours: what skmd-profile calibrate has measured.
#pragma once

#include <CL/cl.h>

namespace skmd::icd::api {

using CalibrationProgress = void(CL_CALLBACK*)(double part, const char* what, void* user);
using CalibrationAnswer = void(CL_CALLBACK*)(const char* json, void* user);

/// Found by clGetExtensionFunctionAddressForPlatform("clSkmdCalibrate"). Measures the devices below the virtual one and
/// their links for about so many `seconds` (above 0, at most 3600), tells `progress` (may be null), and gives `answer`
/// one JSON document before it returns: {"version":1,"devices":[…],"links":[…],"problems":["…"]}, the keys of devices
/// and links being those of profiler/describe.h. Both are called on the caller's thread, and must throw nothing.
cl_int CL_API_CALL clSkmdCalibrate(cl_platform_id platform, cl_double seconds, CalibrationProgress progress,
                                   CalibrationAnswer answer, void* user);

}  // namespace skmd::icd::api
