// SPDX-License-Identifier: Apache-2.0
#include "partitioner/footprint/item_set.h"

namespace skmd::domain {

void ItemSet::assign(const NdRange& range, const Box& box) {
  for (unsigned d = 0; d < 3; ++d) {
    local_size[d] = range.local[d];
    group[d] = {box.first[d], Wide{box.first[d]} + box.count[d] - 1};
    local[d] = {0, local_size[d] - 1};
    position[d] = {group[d].lo * local_size[d], group[d].hi * local_size[d] + local_size[d] - 1};
  }
  iterations.clear();
}

bool ItemSet::propagate() {
  for (unsigned d = 0; d < 3; ++d) {
    const Wide size = local_size[d];
    for (int round = 0; round < 2; ++round) {
      if (group[d].empty() || local[d].empty() || position[d].empty()) return false;
      group[d] = intersect(
          group[d], {ceil_div(position[d].lo - local[d].hi, size), floor_div(position[d].hi - local[d].lo, size)});
      position[d] = intersect(position[d], {group[d].lo * size + local[d].lo, group[d].hi * size + local[d].hi});
      if (group[d].is_point()) {
        local[d] = intersect(local[d], {position[d].lo - group[d].lo * size, position[d].hi - group[d].lo * size});
      }
    }
    if (group[d].empty() || local[d].empty() || position[d].empty()) return false;
  }
  for (const Interval& range : iterations) {
    if (range.empty()) return false;
  }
  return true;
}

bool ItemSet::is_product(unsigned dim) const {
  return position[dim].lo <= group[dim].lo * local_size[dim] + local[dim].lo &&
         position[dim].hi >= group[dim].hi * local_size[dim] + local[dim].hi;
}

bool ItemSet::is_dense(unsigned dim) const { return local[dim] == Interval{0, local_size[dim] - 1}; }

Interval ItemSet::iteration(std::uint32_t loop) const {
  return loop < iterations.size() ? iterations[loop] : Interval{0, power_of_two(64) - 1};
}

}  // namespace skmd::domain
