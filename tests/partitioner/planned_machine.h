// SPDX-License-Identifier: Apache-2.0
// Machines for plans: rates instead of devices.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "partitioner/plan/partition.h"

namespace skmd::domain::test {

inline DeviceModel device(double groups_per_second, double error = 0.05) {
  DeviceModel model;
  model.measured = groups_per_second > 0;
  model.groups_per_second = groups_per_second;
  model.launch_seconds = 10e-6;
  model.relative_error = error;
  return model;
}

/// A request and what it points to.
struct PlannedMachine {
  std::vector<DeviceModel> devices;
  PartitionRequest request;

  PlannedMachine(std::vector<DeviceModel> models, std::uint64_t groups, PartitionMode mode = PartitionMode::automatic)
      : devices(std::move(models)) {
    request.devices = devices;
    request.groups = groups;
    request.policy.mode = mode;
  }
  PlannedMachine(const PlannedMachine&) = delete;
  PlannedMachine& operator=(const PlannedMachine&) = delete;
  [[nodiscard]] Plan plan() const { return partition(request); }
};

inline std::uint64_t groups_of(const Plan& plan, std::uint32_t device_index) {
  std::uint64_t sum = 0;
  for (const Slice& slice : plan.slices) sum += slice.device == device_index ? slice.span.size() : 0;
  return sum;
}

inline void expect_tiles(const Plan& plan, std::uint64_t groups) {
  std::uint64_t at = 0;
  for (const Slice& slice : plan.slices) {
    ASSERT_EQ(slice.span.first, at);
    ASSERT_FALSE(slice.span.empty());
    at = slice.span.last;
  }
  ASSERT_EQ(at, groups);
}

inline std::vector<Slice> slices(std::initializer_list<Slice> list) { return list; }

}  // namespace skmd::domain::test
