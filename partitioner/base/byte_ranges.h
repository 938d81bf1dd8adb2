// SPDX-License-Identifier: Apache-2.0
// Sets of bytes of one buffer, as sorted disjoint half-open ranges.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "partitioner/base/inline_vector.h"

namespace skmd::domain {

/// Half-open [begin, end), bytes from the start of a buffer.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
  [[nodiscard]] bool empty() const { return begin >= end; }
  bool operator==(const ByteRange&) const = default;
};

/// Invariant: ranges are non-empty, ascending, and neither overlap nor touch.
class RangeSet {
 public:
  RangeSet() = default;
  RangeSet(ByteRange range);  // NOLINT(google-explicit-constructor): one range is a set
  RangeSet(std::initializer_list<ByteRange> ranges);

  /// Valid until the set is changed or moved.
  [[nodiscard]] std::span<const ByteRange> ranges() const { return {ranges_.begin(), ranges_.end()}; }
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] std::uint64_t bytes() const;
  /// The smallest single range that holds the set; empty range for the empty set.
  [[nodiscard]] ByteRange hull() const;
  [[nodiscard]] bool contains(const ByteRange& range) const;
  [[nodiscard]] bool intersects(const RangeSet& other) const;

  void add(const ByteRange& range);  ///< amortised O(1) when appended in ascending order
  void add(const RangeSet& other);   ///< union, linear
  void remove(const ByteRange& range);
  void remove(const RangeSet& other);  ///< difference, linear
  void clear() { ranges_.clear(); }
  /// Room for `count` ranges, which stays while the set is changed by add() and remove(). Removing a range from a set
  /// with room for one more does not allocate.
  void reserve(std::size_t count) { ranges_.reserve(count); }

  [[nodiscard]] RangeSet intersection(const RangeSet& other) const;
  [[nodiscard]] RangeSet difference(const RangeSet& other) const;
  /// Every range moved by `delta` bytes (the result must not go below 0).
  [[nodiscard]] RangeSet shifted(std::int64_t delta) const;
  /// A superset with at most `limit` ranges: the smallest gaps are closed first.
  [[nodiscard]] RangeSet coarsened(std::size_t limit) const;

  bool operator==(const RangeSet&) const = default;

 private:
  void append_difference(const RangeSet& other, RangeSet& rest) const;
  InlineVector<ByteRange> ranges_;  // most are one range
};

}  // namespace skmd::domain
