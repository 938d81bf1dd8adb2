// SPDX-License-Identifier: Apache-2.0
#include "partitioner/footprint/region.h"

#include <algorithm>
#include <vector>

#include "partitioner/footprint/footprint_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

/// One level of rows: `rows` of them, `stride` bytes apart.
struct Level {
  Wide stride;
  Wide rows;
};

struct Rows {
  Wide first = 0;
  Wide width = 1;
  unsigned count = 0;
  std::array<Level, Region::kMaxDims> levels;
  bool exact = true;
};

/// By insertion: there are a handful.
void sort_by_stride(Rows& rows) {
  for (unsigned i = 1; i < rows.count; ++i) {
    const Level level = rows.levels[i];
    unsigned at = i;
    for (; at > 0 && rows.levels[at - 1].stride > level.stride; --at) rows.levels[at] = rows.levels[at - 1];
    rows.levels[at] = level;
  }
}

/// Strides become positive and ascend; rows that begin at or after `end` are left out.
Rows normalised(const Region& region, Wide end) {
  Rows rows;
  rows.first = region.first;
  rows.width = region.width;
  for (unsigned i = 0; i < region.count; ++i) {
    const auto& dim = region.dims[i];
    rows.first += dim.factor * (dim.factor > 0 ? dim.values.lo : dim.values.hi);
    if (!dim.values.is_point()) {
      rows.levels[rows.count++] = {dim.factor > 0 ? dim.factor : -dim.factor, dim.values.count()};
    }
  }
  sort_by_stride(rows);
  for (unsigned i = 0; i < rows.count; ++i) {
    Level& level = rows.levels[i];
    level.rows = std::min(level.rows, std::max<Wide>(1, ceil_div(end - rows.first, level.stride)));
  }
  return rows;
}

/// Rows that touch each other become one wide row; levels that continue each other become one level.
void fold(Rows& rows) {
  unsigned kept = 0;
  for (unsigned i = 0; i < rows.count; ++i) {
    const Level level = rows.levels[i];
    if (level.rows <= 1) continue;
    if (kept == 0 && level.stride <= rows.width) {
      rows.width += level.stride * (level.rows - 1);
    } else if (kept > 0 && level.stride == rows.levels[kept - 1].stride * rows.levels[kept - 1].rows) {
      rows.levels[kept - 1].rows *= level.rows;
    } else {
      rows.levels[kept++] = level;
    }
  }
  rows.count = kept;
}

Wide total(const Rows& rows) {
  Wide product = 1;
  for (unsigned i = 0; i < rows.count; ++i) {
    product *= rows.levels[i].rows;
    if (product > kMaxRows) return product;
  }
  return product;
}

/// Closes the gaps of the lowest level until the rows are few enough.
void limit(Rows& rows, Detail detail) {
  for (;;) {
    const Wide now = total(rows);
    const bool small_gaps =
        detail == Detail::coarse && now > kManyRows && rows.levels[0].stride - rows.width <= kSmallGap;
    if (now <= kMaxRows && !small_gaps) return;
    rows.width += rows.levels[0].stride * (rows.levels[0].rows - 1);
    rows.levels[0].rows = 1;
    rows.exact = false;
    fold(rows);
  }
}

/// Rows come in ascending order if no level reaches into the next row of the level above.
bool ascending(const Rows& rows) {
  Wide reach = 0;
  for (unsigned i = 0; i < rows.count; ++i) {
    if (rows.levels[i].stride < reach) return false;
    reach += rows.levels[i].stride * (rows.levels[i].rows - 1);
  }
  return true;
}

ByteRange cut(Wide begin, Wide width, const ByteRange& clip) {
  const Wide from = std::max<Wide>(begin, clip.begin);
  const Wide to = std::min<Wide>(begin + width, clip.end);
  if (from >= to) return {};
  return {static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)};
}

template <class Each>
void for_each_row(const Rows& rows, Each each) {
  std::array<Wide, Region::kMaxDims> index{};
  Wide begin = rows.first;
  for (;;) {
    each(begin);
    unsigned level = 0;
    for (; level < rows.count; ++level) {
      begin += rows.levels[level].stride;
      if (++index[level] < rows.levels[level].rows) break;
      begin -= rows.levels[level].stride * rows.levels[level].rows;
      index[level] = 0;
    }
    if (level == rows.count) return;
  }
}

void add_ascending(const Rows& rows, const ByteRange& clip, RangeSet& into) {
  Wide end = rows.first + rows.width;
  for (unsigned i = 0; i < rows.count; ++i) end += rows.levels[i].stride * (rows.levels[i].rows - 1);
  if (rows.first < static_cast<Wide>(clip.begin) || end > static_cast<Wide>(clip.end)) {
    for_each_row(rows, [&](Wide begin) { into.add(cut(begin, rows.width, clip)); });
    return;
  }
  // Nothing is cut: 64 bits do, and the lowest level is a plain loop.
  const auto width = static_cast<std::uint64_t>(rows.width);
  const auto step = static_cast<std::uint64_t>(rows.levels[0].stride);
  const auto count = static_cast<std::uint64_t>(rows.levels[0].rows);
  Rows above = rows;
  above.levels[0].rows = 1;
  for_each_row(above, [&](Wide begin) {
    auto at = static_cast<std::uint64_t>(begin);
    for (std::uint64_t i = 0; i < count; ++i, at += step) into.add(ByteRange{at, at + width});
  });
}

}  // namespace

void condense(Region& region) {
  for (unsigned i = 0; i < region.count; ++i) {
    const Region::Dim dim = region.dims[i];
    const Wide step = dim.factor > 0 ? dim.factor : -dim.factor;
    if (step > region.width) continue;
    region.first += dim.factor * (dim.factor > 0 ? dim.values.lo : dim.values.hi);
    region.width += step * (dim.values.count() - 1);
    std::copy(region.dims.begin() + i + 1, region.dims.begin() + region.count, region.dims.begin() + i);
    --region.count;
    i = static_cast<unsigned>(-1);  // the width has grown: look again at those before
  }
}

bool is_gapless(const Region& region, Interval& values) {
  Region points = region;
  points.width = 1;
  // Nothing is cut off.
  Rows rows = normalised(points, power_of_two(120));
  fold(rows);
  values = {rows.first, rows.first + rows.width - 1};
  return rows.count == 0;
}

bool add_region(const Region& region, const ByteRange& clip, Detail detail, RangeSet& out) {
  Rows rows = normalised(region, clip.end);
  fold(rows);
  limit(rows, detail);
  if (rows.count == 0) {
    out.add(cut(rows.first, rows.width, clip));
    return rows.exact;
  }
  if (ascending(rows)) {
    RangeSet sorted;
    RangeSet& into = out.empty() ? out : sorted;
    add_ascending(rows, clip, into);
    if (&into == &sorted) out.add(sorted);
    return rows.exact;
  }
  std::vector<ByteRange> parts;
  parts.reserve(static_cast<std::size_t>(total(rows)));
  for_each_row(rows, [&](Wide begin) { parts.push_back(cut(begin, rows.width, clip)); });
  std::sort(parts.begin(), parts.end(), [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  RangeSet sorted;
  for (const ByteRange& part : parts) sorted.add(part);
  out.add(sorted);
  return rows.exact;
}

}  // namespace skmd::domain
