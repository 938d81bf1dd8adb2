// SPDX-License-Identifier: Apache-2.0
#include "partitioner/base/nd_range.h"

#include <algorithm>

namespace skmd::domain {

namespace {

/// Greedy: the largest block that starts here. Head row, head rows, whole planes, tail rows, tail row: at most 5.
template <class Take>
void cut(const GroupSpan& span, const Extent3& groups, Take take) {
  const std::uint64_t row = groups[0];
  const std::uint64_t plane = groups[0] * groups[1];
  const std::uint64_t last = std::min(span.last, plane * groups[2]);
  std::uint64_t at = span.first;
  while (at < last) {
    const std::uint64_t left = last - at;
    Box box{{at % row, at / row % groups[1], at / plane}, {1, 1, 1}};
    if (at % plane == 0 && left >= plane) {
      box.count = {row, groups[1], left / plane};
    } else if (at % row == 0 && left >= row) {
      box.count = {row, std::min(left / row, groups[1] - box.first[1]), 1};
    } else {
      box.count[0] = std::min(left, row - box.first[0]);
    }
    take(box);
    at += box.size();
  }
}

}  // namespace

std::uint64_t row_of_groups(const NdRange& range) {
  const Extent3 counts = range.group_counts();
  if (range.work_dim == 3 && counts[2] > 1) return counts[0] * counts[1];
  return range.work_dim >= 2 && counts[1] > 1 ? counts[0] : 1;
}

void boxes_of(const GroupSpan& span, const Extent3& groups, std::vector<Box>& out) {
  out.clear();
  cut(span, groups, [&](const Box& box) { out.push_back(box); });
}

std::uint32_t box_count(const GroupSpan& span, const Extent3& groups) {
  std::uint32_t count = 0;
  cut(span, groups, [&](const Box&) { ++count; });
  return count;
}

NdRange launch_of(const NdRange& range, const Box& box) {
  NdRange launch = range;
  for (std::uint32_t d = 0; d < range.work_dim && d < 3; ++d) {
    launch.offset[d] = range.offset[d] + box.first[d] * range.local[d];
    launch.global[d] = box.count[d] * range.local[d];
  }
  return launch;
}

}  // namespace skmd::domain
