// SPDX-License-Identifier: Apache-2.0
#include "partitioner/residency/transfer.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace skmd::domain {
namespace {

/// Adds to `gathers` what of `wanted` is not in host memory, each byte from one space that has it.
void gather(const ResidencyMap& map, std::uint32_t root, const RangeSet& wanted, InlineVector<Transfer>& gathers) {
  const std::size_t begin = gathers.size();
  SpaceId source = kHostSpace;
  for (const ResidencyMap::Piece& piece : map.pieces(map.missing(kHostSpace, wanted))) {
    // The neighbour's source is kept where it can be: fewer and larger copies.
    if (source == kHostSpace || (piece.valid >> source & 1) == 0) {
      source = static_cast<SpaceId>(std::countr_zero(piece.valid));
    }
    auto it = std::find_if(gathers.begin() + begin, gathers.end(),
                           [&](const Transfer& transfer) { return transfer.from == source; });
    if (it == gathers.end()) it = gathers.insert(it, Transfer{root, source, kHostSpace, {}});
    it->ranges.add(piece.range);
  }
}

/// Joins `part` with what its space gets already, of those from `begin` on.
template <class Part>
void join(InlineVector<Part>& parts, std::size_t begin, Part part, SpaceId Part::*space) {
  for (std::size_t i = begin; i < parts.size(); ++i) {
    if (parts[i].*space != part.*space) continue;
    parts[i].ranges.add(part.ranges);
    return;
  }
  parts.push_back(std::move(part));
}

}  // namespace

void add_transfers(std::uint32_t root, std::span<const Need> needs, const ResidencyMap& map, TransferList& list) {
  const std::size_t first_upload = list.uploads.size();
  const std::size_t first_fill = list.fills.size();
  RangeSet through_host;
  for (const Need& need : needs) {
    if (need.root != root) continue;
    RangeSet missing = map.missing(need.space, need.ranges);
    RangeSet undefined = map.undefined(need.ranges);
    through_host.add(missing);
    if (!undefined.empty()) join(list.fills, first_fill, {root, need.space, std::move(undefined)}, &ZeroFill::space);
    if (need.space != kHostSpace && !missing.empty())
      join(list.uploads, first_upload, {root, kHostSpace, need.space, std::move(missing)}, &Transfer::to);
  }
  gather(map, root, through_host, list.gathers);
}

RowRuns row_runs(const RangeSet& ranges) {
  RowRuns runs;
  for (const ByteRange& range : ranges.ranges()) {
    if (!runs.empty() && runs.back().width == range.size()) {
      RowRun& run = runs.back();
      const std::uint64_t step = range.begin - run.begin;
      if (run.rows == 1 || step == run.stride * run.rows) {
        if (run.rows == 1) run.stride = step;
        ++run.rows;
        continue;
      }
    }
    runs.push_back({range.begin, range.size(), 0, 1});
  }
  return runs;
}

}  // namespace skmd::domain
