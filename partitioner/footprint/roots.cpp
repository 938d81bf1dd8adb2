// SPDX-License-Identifier: Apache-2.0
#include "partitioner/footprint/roots.h"

namespace skmd::domain {

std::vector<RootFootprint> on_roots(std::span<const Footprint> arguments, std::span<const RootView> views,
                                    std::uint32_t roots) {
  std::vector<RootFootprint> joined(roots);
  for (std::size_t i = 0; i < arguments.size() && i < views.size(); ++i) {
    if (views[i].root >= roots) continue;
    RootFootprint& root = joined[views[i].root];
    const auto delta = static_cast<std::int64_t>(views[i].offset);
    const auto join = [&](RangeSet& into, const RangeSet& ranges) {
      if (ranges.empty()) return;
      if (delta == 0) {
        into.add(ranges);
      } else {
        into.add(ranges.shifted(delta));
      }
    };
    join(root.reads, arguments[i].reads);
    join(root.may_write, arguments[i].may_write);
    join(root.must_write, arguments[i].must_write);
    root.write_unknown = root.write_unknown || arguments[i].write_unknown;
  }
  return joined;
}

}  // namespace skmd::domain
