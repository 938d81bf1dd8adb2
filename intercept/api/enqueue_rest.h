// SPDX-License-Identifier: Apache-2.0
// An extension function of ours: what skmd-resume launches.
#pragma once

#include <CL/cl.h>

namespace skmd::icd::api {

/// Found by clGetExtensionFunctionAddressForPlatform("clSkmdEnqueueRest"). As clEnqueueNDRangeKernel(), but only the
/// groups of `rest` run (profiler/checkpoint/launch_codec.h), and `local` is not null. Blocks while code is made that
/// can go on with groups that were stopped inside.
cl_int CL_API_CALL clSkmdEnqueueRest(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim, const size_t* offset,
                                     const size_t* global, const size_t* local, size_t rest_size, const void* rest,
                                     cl_event* event);

}  // namespace skmd::icd::api
