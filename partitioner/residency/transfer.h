// SPDX-License-Identifier: Apache-2.0
// Transfer lists: the copies that make needed bytes valid where they will be read, and no others.
#pragma once

#include <span>
#include "partitioner/base/inline_vector.h"
#include "partitioner/residency/residency.h"

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

/// Undefined bytes that a device will read or write in part: filled with zeros, not transferred.
struct ZeroFill {
  std::uint32_t root = 0;
  SpaceId space = 0;
  RangeSet ranges;
  bool operator==(const ZeroFill&) const = default;
};

struct TransferList {
  InlineVector<Transfer> gathers;  // device → host, all of them before
  InlineVector<Transfer> uploads;  // host → device
  InlineVector<ZeroFill> fills;
};

/// Pure. Adds the transfers of one root to `list`. `map`: its residency before the launch. Needs of other roots are
/// ignored. Every defined byte that a need misses is transferred once to each space that needs it; a byte valid on
/// several devices is gathered from one.
void add_transfers(std::uint32_t root, std::span<const Need> needs, const ResidencyMap& map, TransferList& list);

/// A run of equal rows, for rectangular transfers; all fields but `rows` are bytes. Rows i in [0, rows) cover [begin +
/// i·stride, begin + i·stride + width).
struct RowRun {
  std::uint64_t begin = 0;
  std::uint64_t width = 0;
  std::uint64_t stride = 0;
  std::uint64_t rows = 1;
  bool operator==(const RowRun&) const = default;
};

/// Most are one.
using RowRuns = InlineVector<RowRun>;

/// Groups ascending ranges into as few row runs as a single forward pass finds.
RowRuns row_runs(const RangeSet& ranges);

}  // namespace skmd::domain
