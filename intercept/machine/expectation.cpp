// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/expectation.h"

#include <algorithm>
#include <functional>
#include <string>

#include "intercept/machine/device_query.h"
#include "intercept/machine/machine_constants.h"

namespace skmd::icd {
namespace {

using namespace tuning;

double lanes(DeviceKind kind) {
  return kind == DeviceKind::gpu ? kGpuLanes : kind == DeviceKind::cpu ? kProcessorLanes : kAcceleratorLanes;
}

}  // namespace

domain::DeviceModel expected_of(const Device& device) {
  const DeviceKind kind = device.description().kind;
  const cl_uint clock = query<cl_uint>(device, CL_DEVICE_MAX_CLOCK_FREQUENCY).value_or(0);
  domain::DeviceModel model;
  model.units = std::max<cl_uint>(1, query<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS).value_or(1));
  model.strength = static_cast<double>(model.units) * (clock == 0 ? kSomeClock : clock) * lanes(kind);
  // Processors that a driver shows twice may be the same cores.
  const DeviceDescription& told = device.description();
  if (kind != DeviceKind::cpu)
    model.likeness = std::max<std::size_t>(
        1, std::hash<std::string>()(told.platform + "|" + told.name + "|" + told.arithmetic + "|" +
                                    std::to_string(model.units) + "|" + std::to_string(clock)));
  const bool compiles = kind == DeviceKind::cpu && told.code_target.empty();
  model.first_use_seconds = compiles ? kCompilingSeconds : kLoadingSeconds;
  return model;
}

}  // namespace skmd::icd
