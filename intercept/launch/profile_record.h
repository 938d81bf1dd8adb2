// SPDX-License-Identifier: Apache-2.0
// What one slice of a launch leaves for the profile database.
#pragma once

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_rounds.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"
#include "partitioner/model/group_work.h"
#include "partitioner/model/profile_sample.h"
#include "partitioner/model/terms.h"

namespace skmd::icd {

struct MeasuredSlice {
  std::uint64_t kernel_ns = 0;
  std::uint64_t to_ns = 0;    // uploads; 0: none
  std::uint64_t from_ns = 0;  // bringing back what it wrote; 0: not measured
  bool first_use = false;
};

/// Mean work of a work-group of the launch. Evaluates the kernel's expressions: 9 us and more. LaunchShape::work()
/// caches it.
domain::GroupWork work_of_launch(const Launch& launch);

/// Precondition: the slice ended well, on device slice.device. `work`: of the launch.
domain::ProfileSample profile_sample(const Machine& machine, const Launch& launch, const domain::GroupWork& work,
                                     const SliceWork& slice, const MeasuredSlice& measured);

/// The whole launch in one box, as models see it. `work`: of the launch.
domain::Point point_of_launch(const Launch& launch, const domain::GroupWork& work);

/// Another driver than the device's own runs the launch there: its time is not one of the form and the device that a
/// sample would name, and no sample is made of it. Precondition: the program is built on the device. Thread-safe.
bool runs_elsewhere(const Launch& launch, std::uint32_t device);

/// Hands it to the machine's sink, and tells the statistics. `kind`: as of ProfileSink::add(). Precondition: there is a
/// sink. Thread-safe.
void keep_sample(const Machine& machine, const domain::ProfileSample& sample, std::uint64_t kind);

/// Hands it to the machine's sink, if there is one and it wants it; never in profiling mode, which has samples of its
/// own. Thread-safe; a few microseconds.
void record_profile(const Machine& machine, const Launch& launch, LaunchShape& shape, const SliceWork& slice,
                    const MeasuredSlice& measured);

/// Likewise what rounds took with the launch whole on one device.
void record_rounds(const Machine& machine, const Launch& launch, LaunchShape& shape,
                   const LaunchRounds::Measured& rounds);

}  // namespace skmd::icd
