// SPDX-License-Identifier: Apache-2.0
// Transfer lists: the copies that make needed bytes valid where they will be read, and no others.
#pragma once

#include <span>
#include "partitioner/few.h"
#include "partitioner/residency.h"

namespace skmd::domain {

/// Bytes that `space` must hold of root buffer `root` (an index into the caller's list).
struct Need {
  std::uint32_t root = 0;
  SpaceId space = 0;
  RangeSet ranges;
};

/// One copy between memory spaces. Between two devices data goes through host memory, as two transfers.
struct Transfer {
  std::uint32_t root = 0;
  SpaceId from = 0;
  SpaceId to = 0;
  RangeSet ranges;
  bool operator==(const Transfer&) const = default;
};

/// Bytes never written that a device is about to read or to write only in part: filled with zeros, not transferred.
struct ZeroFill {
  std::uint32_t root = 0;
  SpaceId space = 0;
  RangeSet ranges;
  bool operator==(const ZeroFill&) const = default;
};

struct TransferList {
  Few<Transfer> gathers;  // device → host, all of them before
  Few<Transfer> uploads;  // host → device
  Few<ZeroFill> fills;
};

/// Pure. Adds to `list` what moves of one root: `map` is its residency before the launch; needs of other roots are
/// passed over. Every defined byte that a need misses is transferred once to each space that needs it; a byte valid on
/// several devices is gathered from one.
void add_transfers(std::uint32_t root, std::span<const Need> needs, const ResidencyMap& map, TransferList& list);

/// A run of equal rows, for rectangular transfers: rows i in [0, rows) cover [begin + i·stride, begin + i·stride +
/// width).
struct RowRun {
  std::uint64_t begin = 0;
  std::uint64_t width = 0;
  std::uint64_t stride = 0;
  std::uint64_t rows = 1;
  bool operator==(const RowRun&) const = default;
};

/// Most are one.
using RowRuns = Few<RowRun>;

/// Groups ascending ranges into as few row runs as a single forward pass finds.
RowRuns row_runs(const RangeSet& ranges);

}  // namespace skmd::domain
