// SPDX-License-Identifier: Apache-2.0
// Writes that leave small gaps between very many rows (a stencil over a padded volume) are taken for writes of the rows
// and the gaps. Where one device holds the gaps as well, tens of thousands of ranges become a few, for transfers,
// residency and comparison at the next launch.
#pragma once

#include "partitioner/base/byte_ranges.h"
#include "partitioner/footprint/roots.h"

namespace skmd::domain {

/// When gaps are closed, and which.
struct RowGapLimits {
  /// Fewer ranges are cheap to keep separate. A stencil of 65,794 ranges takes 2.5 ms to evaluate and each launch that
  /// commits them about as much again (bench/micro/partition_bench); a thousand, some 0.05 ms.
  std::size_t least_ranges = 1024;
  /// A longer gap is left open, bytes. A transfer that is cut costs some microseconds, in which a link moves ten times
  /// as much.
  std::uint64_t most_gap = 16384;
  /// Limit for all closed gaps together, as a part of the bytes written: the additional transfers must be negligible.
  double most_part = 0.25;
};

/// The gaps that may be closed, from what the whole launch may write to one root buffer; empty if it is to stay exact.
/// Linear in ranges. Pure.
RangeSet row_gaps(const RangeSet& may_write, const RowGapLimits& limits = {});

/// Closes those of `gaps` that lie between two ranges of the slice: they become bytes that it may write and does not
/// surely write, and so do the rows beside them, so that the device has to hold their old bytes first. `gaps` are those
/// of the whole launch, hence slices that were disjoint stay so. Linear in ranges. Pure.
void close_row_gaps(RootFootprint& slice, const RangeSet& gaps);

}  // namespace skmd::domain
