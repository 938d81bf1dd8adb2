// SPDX-License-Identifier: Apache-2.0
#include "partitioner/transfer.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace skmd::domain {
namespace {

/// All needs of one space on one root, joined; ordered by root, then space.
std::vector<Need> joined(std::span<const Need> needs, std::size_t roots) {
  std::vector<std::size_t> order(needs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return needs[a].root != needs[b].root ? needs[a].root < needs[b].root : needs[a].space < needs[b].space;
  });
  std::vector<Need> out;
  out.reserve(needs.size());
  for (const std::size_t i : order) {
    const Need& need = needs[i];
    if (need.root >= roots || need.ranges.empty()) continue;
    if (!out.empty() && out.back().root == need.root && out.back().space == need.space) {
      out.back().ranges.add(need.ranges);
    } else {
      out.push_back(need);
    }
  }
  return out;
}

/// Adds to `gathers` what of `wanted` is not in host memory, each byte from one space that has it.
void gather(const ResidencyMap& map, std::uint32_t root, const RangeSet& wanted, std::vector<Transfer>& gathers) {
  const std::size_t begin = gathers.size();
  SpaceId source = kHostSpace;
  for (const ResidencyMap::Piece& piece : map.pieces(map.missing(kHostSpace, wanted))) {
    // The neighbour's source is kept where it can be: fewer and larger copies.
    if (source == kHostSpace || (piece.valid >> source & 1) == 0) {
      source = static_cast<SpaceId>(std::countr_zero(piece.valid));
    }
    auto it = std::find_if(gathers.begin() + static_cast<std::ptrdiff_t>(begin), gathers.end(),
                           [&](const Transfer& transfer) { return transfer.from == source; });
    if (it == gathers.end()) it = gathers.insert(it, Transfer{root, source, kHostSpace, {}});
    it->ranges.add(piece.range);
  }
}

}  // namespace

TransferList transfers(std::span<const Need> needs, std::span<const ResidencyMap* const> maps) {
  TransferList list;
  const std::vector<Need> wanted = joined(needs, maps.size());
  for (std::size_t i = 0; i < wanted.size();) {
    const std::uint32_t root = wanted[i].root;
    const ResidencyMap* map = maps[root];
    RangeSet through_host;
    for (; i < wanted.size() && wanted[i].root == root; ++i) {
      if (map == nullptr) continue;
      const Need& need = wanted[i];
      RangeSet missing = map->missing(need.space, need.ranges);
      RangeSet undefined = map->undefined(need.ranges);
      through_host.add(missing);
      if (!undefined.empty()) list.fills.push_back({root, need.space, std::move(undefined)});
      if (need.space != kHostSpace && !missing.empty()) {
        list.uploads.push_back({root, kHostSpace, need.space, std::move(missing)});
      }
    }
    if (map != nullptr) gather(*map, root, through_host, list.gathers);
  }
  return list;
}

std::vector<RowRun> row_runs(const RangeSet& ranges) {
  std::vector<RowRun> runs;
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
