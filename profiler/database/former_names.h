// SPDX-License-Identifier: Apache-2.0
// Names that devices had in profile databases and files of before.
#pragma once

#include "partitioner/model/profile_sample.h"

namespace skmd::profiler {

/// The key by which the device is known today. The CPU driver (platform "SKMD") once had the name that PoCL gives the
/// processor, its own with PoCL's driver and LLVM's name for it before: "pthread-skylake-avx512-NAME", and "cpu-…" by
/// later versions. Pure; today's keys stay as they are.
domain::DeviceKey todays(domain::DeviceKey key);

}  // namespace skmd::profiler
