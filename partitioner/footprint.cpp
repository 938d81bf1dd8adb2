// SPDX-License-Identifier: Apache-2.0
#include "partitioner/footprint.h"

namespace skmd::domain {

std::vector<Footprint> evaluate(const KernelTraits& traits, const NdRange&, std::span<const Box> boxes,
                                std::span<const ArgumentView> arguments) {
  std::vector<Footprint> footprints(traits.parameters.size());
  if (boxes.empty()) return footprints;
  for (const Access& access : traits.accesses) {
    if (access.argument >= arguments.size() || !arguments[access.argument].is_buffer) continue;
    Footprint& footprint = footprints[access.argument];
    const ByteRange whole{0, arguments[access.argument].bytes};
    if (access.kind != AccessKind::write) footprint.reads.add(whole);
    if (access.kind == AccessKind::read) continue;
    footprint.may_write.add(whole);
    footprint.write_unknown = true;
  }
  return footprints;
}

std::vector<Footprint> evaluate(const KernelTraits& traits, const NdRange& range, const GroupSpan& span,
                                std::span<const ArgumentView> arguments) {
  std::vector<Box> boxes;
  boxes.reserve(5);
  boxes_of(span, range.group_counts(), boxes);
  return evaluate(traits, range, boxes, arguments);
}

}  // namespace skmd::domain
