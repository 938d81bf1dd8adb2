// SPDX-License-Identifier: Apache-2.0
#include "partitioner/footprint/inside.h"

#include <vector>

namespace skmd::domain {
namespace {

bool accesses_stay_inside(const KernelTraits& traits, const NdRange& range, std::span<const ArgumentView> arguments) {
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

/// As if local memory were the buffers of a kernel.
bool local_accesses_stay_inside(const KernelTraits& traits, const NdRange& range,
                                std::span<const ArgumentView> arguments) {
  KernelTraits locals;
  locals.parameters.resize(traits.parameters.size() + traits.local_variables.size());
  locals.nodes = traits.nodes;
  locals.loops = traits.loops;
  locals.accesses = traits.local_accesses;
  std::vector<ArgumentView> views(arguments.begin(), arguments.end());
  for (std::size_t i = 0; i < views.size(); ++i)
    views[i].is_buffer = traits.parameters[i].kind == ParameterKind::local_pointer;
  for (const std::uint64_t bytes : traits.local_variables) views.push_back({true, bytes, {}, 0});
  return accesses_stay_inside(locals, range, views);
}

}  // namespace

bool stays_inside(const KernelTraits& traits, const NdRange& range, std::span<const ArgumentView> arguments) {
  if (!accesses_stay_inside(traits, range, arguments)) return false;
  if ((traits.facts & kFactLocalMemory) == 0) return true;
  return traits.locals_known && local_accesses_stay_inside(traits, range, arguments);
}

}  // namespace skmd::domain
