// SPDX-License-Identifier: Apache-2.0
// Footprints by root buffer: where several arguments reach the same bytes, they count as one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partitioner/footprint/footprint.h"

namespace skmd::domain {

/// Root buffers: arguments with the same `root` alias. `offset` is the argument's place in the root, bytes.
struct RootView {
  std::uint32_t root = 0;
  std::uint64_t offset = 0;
};
inline constexpr std::uint32_t kNoRoot = 0xFFFFFFFFu;

/// Footprints of a slice on one root buffer, all aliases joined, in bytes from the start of the root.
struct RootFootprint {
  RangeSet reads, may_write, must_write;
  bool write_unknown = false;
};
std::vector<RootFootprint> on_roots(std::span<const Footprint> arguments, std::span<const RootView> views,
                                    std::uint32_t roots);

}  // namespace skmd::domain
