// SPDX-License-Identifier: Apache-2.0
#include "partitioner/footprint/row_gaps.h"

namespace skmd::domain {

RangeSet row_gaps(const RangeSet& may_write, const RowGapLimits& limits) {
  const auto rows = may_write.ranges();
  if (rows.size() < limits.least_ranges) return {};
  RangeSet gaps;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const ByteRange gap{rows[i - 1].end, rows[i].begin};
    if (gap.size() <= limits.most_gap) gaps.add(gap);
  }
  const auto most = static_cast<double>(may_write.bytes()) * limits.most_part;
  return static_cast<double>(gaps.bytes()) <= most ? gaps : RangeSet();
}

void close_row_gaps(RootFootprint& slice, const RangeSet& gaps) {
  const auto closable = gaps.ranges();
  const auto rows = slice.may_write.ranges();
  if (closable.empty() || rows.size() < 2) return;
  RangeSet closed;
  RangeSet joined;
  std::size_t gap = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    closed.add(rows[i]);
    if (i + 1 == rows.size()) break;
    while (gap < closable.size() && closable[gap].begin < rows[i].end) ++gap;
    if (gap == closable.size() || closable[gap] != ByteRange{rows[i].end, rows[i + 1].begin}) continue;
    closed.add(closable[gap]);
    joined.add(ByteRange{rows[i].begin, rows[i + 1].end});
  }
  slice.must_write.remove(joined);
  slice.may_write = std::move(closed);
}

}  // namespace skmd::domain
