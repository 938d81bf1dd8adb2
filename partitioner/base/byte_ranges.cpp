// SPDX-License-Identifier: Apache-2.0
#include "partitioner/base/byte_ranges.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace skmd::domain {
namespace {

using Iterator = const ByteRange*;

/// The first range that ends after `at`.
Iterator first_ending_after(const InlineVector<ByteRange>& ranges, std::uint64_t at) {
  return std::upper_bound(ranges.begin(), ranges.end(), at,
                          [](std::uint64_t value, const ByteRange& range) { return value < range.end; });
}

/// Appends a range that begins at or after the last one's begin.
void append(InlineVector<ByteRange>& out, const ByteRange& range) {
  if (range.empty()) return;
  if (!out.empty() && range.begin <= out.back().end) {
    out.back().end = std::max(out.back().end, range.end);
  } else {
    out.push_back(range);
  }
}

}  // namespace

RangeSet::RangeSet(ByteRange range) {
  if (!range.empty()) ranges_.push_back(range);
}

RangeSet::RangeSet(std::initializer_list<ByteRange> ranges) {
  for (const ByteRange& range : ranges) add(range);
}

std::uint64_t RangeSet::bytes() const {
  std::uint64_t sum = 0;
  for (const ByteRange& range : ranges_) sum += range.size();
  return sum;
}

ByteRange RangeSet::hull() const {
  if (ranges_.empty()) return {};
  return {ranges_.front().begin, ranges_.back().end};
}

bool RangeSet::contains(const ByteRange& range) const {
  if (range.empty()) return true;
  const Iterator it = first_ending_after(ranges_, range.begin);
  return it != ranges_.end() && it->begin <= range.begin && range.end <= it->end;
}

bool RangeSet::intersects(const RangeSet& other) const {
  if (empty() || other.empty()) return false;
  Iterator a = first_ending_after(ranges_, other.ranges_.front().begin);
  Iterator b = first_ending_after(other.ranges_, ranges_.front().begin);
  while (a != ranges_.end() && b != other.ranges_.end()) {
    if (a->end <= b->begin) {
      ++a;
    } else if (b->end <= a->begin) {
      ++b;
    } else {
      return true;
    }
  }
  return false;
}

void RangeSet::add(const ByteRange& range) {
  if (range.empty()) return;
  if (ranges_.empty() || range.begin > ranges_.back().end) {
    ranges_.push_back(range);
    return;
  }
  if (range.begin >= ranges_.back().begin) {
    ranges_.back().end = std::max(ranges_.back().end, range.end);
    return;
  }
  // Every range that overlaps or touches [begin, end) becomes one.
  const auto first = std::lower_bound(ranges_.begin(), ranges_.end(), range.begin,
                                      [](const ByteRange& r, std::uint64_t value) { return r.end < value; });
  auto last = std::upper_bound(first, ranges_.end(), range.end,
                               [](std::uint64_t value, const ByteRange& r) { return value < r.begin; });
  if (first == last) {
    ranges_.insert(first, range);
    return;
  }
  first->begin = std::min(first->begin, range.begin);
  first->end = std::max(std::prev(last)->end, range.end);
  ranges_.erase(std::next(first), last);
}

void RangeSet::add(const RangeSet& other) {
  if (other.empty()) return;
  if (other.ranges_.size() == 1) {
    add(ByteRange(other.ranges_.front()));
    return;
  }
  if (empty()) {
    if (other.ranges_.size() > ranges_.capacity())
      ranges_ = other.ranges_;
    else
      for (const ByteRange& range : other.ranges_) ranges_.push_back(range);
    return;
  }
  if (other.ranges_.front().begin >= ranges_.back().begin) {
    const std::size_t count = other.ranges_.size();  // `other` may be this very set
    for (std::size_t i = 0; i < count; ++i) append(ranges_, ByteRange(other.ranges_[i]));
    return;
  }
  InlineVector<ByteRange> joined;
  joined.reserve(std::max(ranges_.capacity(), ranges_.size() + other.ranges_.size()));
  Iterator a = ranges_.begin();
  Iterator b = other.ranges_.begin();
  while (a != ranges_.end() || b != other.ranges_.end()) {
    const bool take_a = b == other.ranges_.end() || (a != ranges_.end() && a->begin <= b->begin);
    append(joined, take_a ? *a++ : *b++);
  }
  ranges_ = std::move(joined);
}

void RangeSet::remove(const ByteRange& range) {
  if (range.empty()) return;
  const auto first = ranges_.begin() + (first_ending_after(ranges_, range.begin) - ranges_.begin());
  const auto last = std::lower_bound(first, ranges_.end(), range.end,
                                     [](const ByteRange& r, std::uint64_t value) { return r.begin < value; });
  if (first == last) return;
  const ByteRange head{first->begin, std::min(first->end, range.begin)};
  const ByteRange tail{std::max(std::prev(last)->begin, range.end), std::prev(last)->end};
  if (std::next(first) == last && !head.empty() && !tail.empty()) {
    const auto inserted = ranges_.insert(last, tail);  // which may throw: before anything is changed
    *std::prev(inserted) = head;
    return;
  }
  auto out = first;
  if (!head.empty()) *out++ = head;
  if (!tail.empty()) *out++ = tail;
  ranges_.erase(out, last);
}

void RangeSet::remove(const RangeSet& other) {
  if (other.ranges_.size() == 1) {
    remove(ByteRange(other.ranges_.front()));
  } else if (!other.empty() && !empty()) {
    RangeSet rest;
    rest.reserve(ranges_.capacity());
    append_difference(other, rest);
    ranges_ = std::move(rest.ranges_);
  }
}

RangeSet RangeSet::intersection(const RangeSet& other) const {
  RangeSet common;
  if (empty() || other.empty()) return common;
  Iterator a = first_ending_after(ranges_, other.ranges_.front().begin);
  Iterator b = first_ending_after(other.ranges_, ranges_.front().begin);
  while (a != ranges_.end() && b != other.ranges_.end()) {
    const ByteRange both{std::max(a->begin, b->begin), std::min(a->end, b->end)};
    if (!both.empty()) common.ranges_.push_back(both);
    (a->end < b->end) ? ++a : ++b;
  }
  return common;
}

RangeSet RangeSet::difference(const RangeSet& other) const {
  RangeSet rest;
  append_difference(other, rest);
  return rest;
}

void RangeSet::append_difference(const RangeSet& other, RangeSet& rest) const {
  Iterator b = empty() ? other.ranges_.begin() : first_ending_after(other.ranges_, ranges_.front().begin);
  for (const ByteRange& range : ranges_) {
    std::uint64_t at = range.begin;
    while (b != other.ranges_.end() && b->begin < range.end) {
      if (b->begin > at) rest.ranges_.push_back({at, b->begin});
      at = std::max(at, b->end);
      if (b->end > range.end) break;  // reaches into the next range
      ++b;
    }
    if (at < range.end) rest.ranges_.push_back({at, range.end});
  }
}

RangeSet RangeSet::shifted(std::int64_t delta) const {
  RangeSet moved = *this;
  const auto step = static_cast<std::uint64_t>(delta);
  for (ByteRange& range : moved.ranges_) range = {range.begin + step, range.end + step};
  return moved;
}

RangeSet RangeSet::coarsened(std::size_t limit) const {
  limit = std::max<std::size_t>(limit, 1);
  if (ranges_.size() <= limit) return *this;
  std::vector<std::uint64_t> gaps;
  gaps.reserve(ranges_.size() - 1);
  for (std::size_t i = 1; i < ranges_.size(); ++i) gaps.push_back(ranges_[i].begin - ranges_[i - 1].end);
  const std::size_t to_close = ranges_.size() - limit;
  std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(to_close - 1), gaps.end());
  const std::uint64_t widest = gaps[to_close - 1];
  // Gaps as wide as the widest closed one are closed from the left until the limit holds.
  auto ties =
      static_cast<std::size_t>(std::count(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(to_close), widest));
  RangeSet coarse;
  coarse.ranges_.reserve(limit);
  coarse.ranges_.push_back(ranges_.front());
  for (std::size_t i = 1; i < ranges_.size(); ++i) {
    const std::uint64_t gap = ranges_[i].begin - ranges_[i - 1].end;
    if (gap < widest || (gap == widest && ties > 0)) {
      if (gap == widest) --ties;
      coarse.ranges_.back().end = ranges_[i].end;
    } else {
      coarse.ranges_.push_back(ranges_[i]);
    }
  }
  return coarse;
}

}  // namespace skmd::domain
