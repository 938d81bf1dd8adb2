// SPDX-License-Identifier: Apache-2.0
#include "partitioner/footprint/inside.h"

#include <vector>

namespace skmd::domain {

bool stays_inside(const KernelTraits& traits, const NdRange& range, std::span<const ArgumentView> arguments) {
  // As if each argument lay in the middle of all addresses that there are: nothing that is touched of it is clipped.
  constexpr std::uint64_t kMiddle = std::uint64_t{1} << 63;
  std::vector<ArgumentView> wide(arguments.begin(), arguments.end());
  for (ArgumentView& view : wide) {
    if (!view.is_buffer) continue;
    view.before = kMiddle;
    view.bytes = UINT64_MAX;
  }
  const std::vector<Footprint> touched = evaluate(traits, range, GroupSpan{0, range.group_total()}, wide);
  for (std::size_t i = 0; i < touched.size(); ++i) {
    const RangeSet inside(ByteRange{kMiddle, kMiddle + arguments[i].bytes});
    if (!touched[i].reads.difference(inside).empty() || !touched[i].may_write.difference(inside).empty()) return false;
  }
  return true;
}

}  // namespace skmd::domain
