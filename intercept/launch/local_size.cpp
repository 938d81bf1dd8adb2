// SPDX-License-Identifier: Apache-2.0
// The local size of a launch that left it to us: one choice for all devices.
#include <algorithm>

#include "intercept/launch/make_launch.h"
#include "intercept/launch/running_constants.h"
#include "intercept/object/kernel.h"

namespace skmd::icd {

namespace {

using namespace tuning;

std::uint64_t largest_divisor(std::uint64_t value, std::uint64_t limit) {
  for (std::uint64_t d = std::min(value, limit); d > 1; --d)
    if (value % d == 0) return d;
  return 1;
}

/// What every device that built the kernel takes.
std::uint64_t common_group_size(BuiltKernel& kernel) {
  std::uint64_t most = kTargetItems;
  for (std::uint32_t i = 0; i < kernel.machine().devices.size(); ++i) {
    if (!kernel.built_on(i)) continue;
    if (const auto native = kernel.native(i)) most = std::min(most, (*native)->limits().work_group_size);
  }
  return std::max<std::uint64_t>(most, 1);
}

}  // namespace

domain::Extent3 choose_local_size(BuiltKernel& kernel, std::uint32_t work_dim, const domain::Extent3& global) {
  const auto& required = kernel.traits().required_local;
  if (required[0] != 0) return {required[0], required[1], required[2]};
  std::uint64_t items = common_group_size(kernel);
  domain::Extent3 local{1, 1, 1};
  // Dimension 0 first: neighbours in memory. In two and three dimensions it leaves room for the others.
  for (std::uint32_t d = 0; d < work_dim; ++d) {
    const bool leave_room = d + 1 < work_dim && global[d + 1] > 1;
    const std::uint64_t most = leave_room ? std::max<std::uint64_t>(items / 8, 1) : items;
    local[d] = largest_divisor(global[d], std::min<std::uint64_t>(most, d == 2 ? 64 : most));
    items = std::max<std::uint64_t>(items / local[d], 1);
  }
  return local;
}

}  // namespace skmd::icd
