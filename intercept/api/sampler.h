// SPDX-License-Identifier: Apache-2.0
// Shared by the present and the deprecated way to create a sampler.
#pragma once

#include <vector>

#include "intercept/api/entry.h"
#include "intercept/object/memory.h"

namespace skmd::icd::api {

/// As the application gave them, unchecked; the defaults are those of clCreateSamplerWithProperties.
struct SamplerValues {
  cl_sampler_properties normalized = CL_TRUE;
  cl_sampler_properties addressing = CL_ADDRESS_CLAMP;
  cl_sampler_properties filter = CL_FILTER_NEAREST;
};
Result<cl_sampler> make_sampler(cl_context context, const SamplerValues& values,
                                std::vector<cl_sampler_properties> list);

}  // namespace skmd::icd::api
