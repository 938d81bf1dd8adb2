// SPDX-License-Identifier: Apache-2.0
#include "partitioner/residency/residency.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <span>

namespace skmd::domain {
namespace {

using Piece = ResidencyMap::Piece;

constexpr SpaceMask bit(SpaceId space) { return SpaceMask{1} << space; }

/// Bytes valid in no other space stay valid in `space`.
constexpr SpaceMask without(SpaceId space, SpaceMask valid) {
  return valid == bit(space) ? valid : valid & ~bit(space);
}

void append(std::vector<Piece>& out, const ByteRange& range, SpaceMask valid) {
  if (range.empty()) return;
  if (!out.empty() && out.back().valid == valid && out.back().range.end == range.begin) {
    out.back().range.end = range.end;
  } else {
    out.push_back({range, valid});
  }
}

std::vector<Piece>::const_iterator first_ending_after(const std::vector<Piece>& pieces, std::uint64_t at) {
  return std::upper_bound(pieces.begin(), pieces.end(), at,
                          [](std::uint64_t value, const Piece& piece) { return value < piece.range.end; });
}

using RangeIterator = std::span<const ByteRange>::iterator;

/// The first range from `at` on that ends behind `begin`.
RangeIterator first_behind(RangeIterator at, RangeIterator end, std::uint64_t begin) {
  if (at == end || at->end > begin) return at;
  return std::upper_bound(at, end, begin,
                          [](std::uint64_t value, const ByteRange& range) { return value < range.end; });
}

/// Calls `visit(range, valid)` for each part of `ranges` within one piece whose spaces are `wanted`, ascending, until
/// it returns false. Other pieces cost nothing however many ranges there are: a launch that writes the inside of a
/// volume has one for each row.
template <class Wanted, class Visit>
void for_each_part(const std::vector<Piece>& pieces, const RangeSet& ranges, Wanted wanted, Visit visit) {
  if (ranges.empty()) return;
  auto range = ranges.ranges().begin();
  const auto end = ranges.ranges().end();
  const ByteRange hull = ranges.hull();
  for (auto piece = first_ending_after(pieces, hull.begin); piece != pieces.end() && piece->range.begin < hull.end;
       ++piece) {
    if (!wanted(piece->valid)) continue;
    range = first_behind(range, end, piece->range.begin);
    for (auto it = range; it != end && it->begin < piece->range.end; ++it) {
      const ByteRange part{std::max(it->begin, piece->range.begin), std::min(it->end, piece->range.end)};
      if (!visit(part, piece->valid)) return;
    }
  }
}

template <class Wanted>
bool any_part(const std::vector<Piece>& pieces, const RangeSet& ranges, Wanted wanted) {
  bool found = false;
  for_each_part(pieces, ranges, wanted, [&](const ByteRange&, SpaceMask) {
    found = true;
    return false;
  });
  return found;
}

template <class Wanted>
std::vector<Piece> parts(const std::vector<Piece>& pieces, const RangeSet& ranges, Wanted wanted) {
  std::vector<Piece> out;
  for_each_part(pieces, ranges, wanted, [&](const ByteRange& part, SpaceMask valid) {
    append(out, part, valid);
    return true;
  });
  return out;
}

template <class Select>
RangeSet select(const std::vector<Piece>& pieces, const RangeSet& ranges, Select wanted) {
  RangeSet out;
  for_each_part(pieces, ranges, wanted, [&](const ByteRange& part, SpaceMask) {
    out.add(part);
    return true;
  });
  return out;
}

/// `ranges` are one piece, and it stays a piece of its own with `change(valid)`: done, no memory needed.
template <class Change>
bool update_in_place(std::vector<Piece>& pieces, const RangeSet& ranges, Change change) {
  if (ranges.ranges().size() != 1) return false;
  const auto piece = pieces.begin() + (first_ending_after(pieces, ranges.hull().begin) - pieces.cbegin());
  if (piece == pieces.end() || piece->range != ranges.hull()) return false;
  const SpaceMask valid = change(piece->valid);
  if (piece != pieces.begin() && std::prev(piece)->valid == valid) return false;
  if (std::next(piece) != pieces.end() && std::next(piece)->valid == valid) return false;
  piece->valid = valid;
  return true;
}

/// Replaces `valid` by `change(valid)` on the bytes of `ranges`. Pieces outside the hull of `ranges` are not touched.
template <class Change>
void update(std::vector<Piece>& pieces, const RangeSet& ranges, Change change) {
  if (ranges.empty() || update_in_place(pieces, ranges, change)) return;
  const ByteRange hull = ranges.hull();
  auto first = pieces.begin() + (first_ending_after(pieces, hull.begin) - pieces.cbegin());
  auto last = std::lower_bound(first, pieces.end(), hull.end,
                               [](const Piece& piece, std::uint64_t end) { return piece.range.begin < end; });
  if (first == last) return;
  // One neighbour more on each side, so that equal neighbours join.
  if (first != pieces.begin()) --first;
  if (last != pieces.end()) ++last;

  std::vector<Piece> rebuilt;
  rebuilt.reserve(static_cast<std::size_t>(last - first) + 2 * ranges.ranges().size());
  auto range = ranges.ranges().begin();
  for (auto piece = first; piece != last; ++piece) {
    std::uint64_t at = piece->range.begin;
    while (range != ranges.ranges().end() && range->begin < piece->range.end) {
      const std::uint64_t from = std::max(range->begin, at);
      const std::uint64_t to = std::min(range->end, piece->range.end);
      append(rebuilt, {at, from}, piece->valid);
      append(rebuilt, {from, to}, change(piece->valid));
      at = std::max(at, to);
      if (range->end > piece->range.end) break;  // reaches into the next piece
      ++range;
    }
    append(rebuilt, {at, piece->range.end}, piece->valid);
  }
  // Strong exception guarantee: without memory the pieces are unchanged.
  const auto replaced = static_cast<std::size_t>(last - first);
  const std::size_t left = pieces.size() - replaced;
  if (left + rebuilt.size() > pieces.capacity()) {
    const auto at = first - pieces.begin();
    pieces.reserve(std::max(left + rebuilt.size(), 2 * pieces.capacity()));
    first = pieces.begin() + at;
    last = first + static_cast<std::ptrdiff_t>(replaced);
  }
  const auto keep = std::min(rebuilt.size(), replaced);
  const auto middle = std::copy_n(rebuilt.begin(), keep, first);
  if (keep < rebuilt.size()) {
    pieces.insert(middle, rebuilt.begin() + static_cast<std::ptrdiff_t>(keep), rebuilt.end());
  } else {
    pieces.erase(middle, last);
  }
}

}  // namespace

ResidencyMap::ResidencyMap(std::uint64_t bytes) : bytes_(bytes) { append(pieces_, {0, bytes}, 0); }

void ResidencyMap::written(SpaceId space, const RangeSet& ranges) {
  if (!any_part(pieces_, ranges, [&](SpaceMask valid) { return valid != bit(space); })) return;
  update(pieces_, ranges, [&](SpaceMask) { return bit(space); });
}

void ResidencyMap::copied(SpaceId space, const RangeSet& ranges) {
  update(pieces_, ranges, [&](SpaceMask valid) { return valid == 0 ? valid : valid | bit(space); });
}

template <class Change>
void ResidencyMap::change_pieces(const RangeSet& ranges, Change change) noexcept {
  const auto all = ranges.ranges();
  for (Piece& piece : pieces_) {
    const auto meets = [&](const ByteRange& range) {
      return range.begin < piece.range.end && piece.range.begin < range.end;
    };
    if (std::any_of(all.begin(), all.end(), meets)) piece.valid = change(piece);
  }
  join_neighbours();
}

void ResidencyMap::withdrawn(SpaceId space, const RangeSet& ranges) noexcept {
  if (!any_part(pieces_, ranges, [&](SpaceMask valid) { return without(space, valid) != valid; })) return;
  try {
    update(pieces_, ranges, [&](SpaceMask valid) { return without(space, valid); });
  } catch (const std::bad_alloc&) {
    change_pieces(ranges, [&](const Piece& piece) { return without(space, piece.valid); });
  }
}

void ResidencyMap::rewritten(SpaceId space, const RangeSet& ranges) noexcept {
  try {
    written(space, ranges);
  } catch (const std::bad_alloc&) {
    change_pieces(ranges, [&](const Piece& piece) {
      const bool elsewhere = piece.valid != 0 && (piece.valid & bit(space)) == 0;
      return elsewhere && !ranges.contains(piece.range) ? piece.valid : bit(space);
    });
  }
}

void ResidencyMap::join_neighbours() noexcept {
  std::size_t kept = 0;
  for (std::size_t i = 1; i < pieces_.size(); ++i) {
    if (pieces_[i].valid == pieces_[kept].valid)
      pieces_[kept].range.end = pieces_[i].range.end;
    else
      pieces_[++kept] = pieces_[i];
  }
  pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(std::min(kept + 1, pieces_.size())), pieces_.end());
}

void ResidencyMap::restored(const std::vector<Piece>& pieces, SpaceMask but_not) {
  for (const Piece& piece : pieces) {
    const SpaceMask valid = piece.valid & ~but_not;
    try {
      update(pieces_, piece.range, [&](SpaceMask) { return valid; });
    } catch (const std::bad_alloc&) {
      restore_in_place({piece.range, valid});
    }
  }
}

void ResidencyMap::restore_in_place(const Piece& old) {
  const auto cut_by = [&](std::uint64_t at) {
    return std::find_if(pieces_.begin(), pieces_.end(),
                        [&](const Piece& piece) { return piece.range.begin < at && at < piece.range.end; });
  };
  const std::uint64_t cuts[] = {old.range.begin, old.range.end};
  const auto more =
      std::count_if(std::begin(cuts), std::end(cuts), [&](std::uint64_t at) { return cut_by(at) != pieces_.end(); });
  pieces_.reserve(pieces_.size() + static_cast<std::size_t>(more));  // all or nothing
  for (const std::uint64_t at : cuts) {
    const auto piece = cut_by(at);
    if (piece == pieces_.end()) continue;
    const Piece upper{{at, piece->range.end}, piece->valid};
    piece->range.end = at;
    pieces_.insert(piece + 1, upper);
  }
  for (Piece& piece : pieces_)
    if (piece.range.begin >= old.range.begin && piece.range.end <= old.range.end) piece.valid = old.valid;
  join_neighbours();
}

void ResidencyMap::forgotten(const RangeSet& ranges) {
  update(pieces_, ranges, [](SpaceMask) { return SpaceMask{0}; });
}

void ResidencyMap::dropped(SpaceId space) {
  update(pieces_, ByteRange{0, bytes_}, [&](SpaceMask valid) { return valid & ~bit(space); });
}

RangeSet ResidencyMap::missing(SpaceId space, const RangeSet& ranges) const {
  return select(pieces_, ranges, [&](SpaceMask valid) { return valid != 0 && (valid & bit(space)) == 0; });
}

std::uint64_t ResidencyMap::missing_bytes(SpaceId space, const RangeSet& ranges) const {
  std::uint64_t bytes = 0;
  const auto elsewhere = [&](SpaceMask valid) { return valid != 0 && (valid & bit(space)) == 0; };
  for_each_part(pieces_, ranges, elsewhere, [&](const ByteRange& part, SpaceMask) {
    bytes += part.size();
    return true;
  });
  return bytes;
}

std::uint64_t ResidencyMap::moved_bytes(SpaceId space, const RangeSet& ranges) const {
  std::uint64_t bytes = 0;
  const auto elsewhere = [&](SpaceMask valid) { return valid != 0 && (valid & bit(space)) == 0; };
  for_each_part(pieces_, ranges, elsewhere, [&](const ByteRange& part, SpaceMask valid) {
    const bool here = space == kHostSpace || (valid & bit(kHostSpace)) != 0;
    bytes += part.size() * (here ? 1 : 2);
    return true;
  });
  return bytes;
}

RangeSet ResidencyMap::valid(SpaceId space, const RangeSet& ranges) const {
  return select(pieces_, ranges, [&](SpaceMask valid) { return (valid & bit(space)) != 0; });
}

bool ResidencyMap::all_valid(SpaceId space, const RangeSet& ranges) const {
  if (ranges.hull().end > bytes_) return false;
  return !any_part(pieces_, ranges, [&](SpaceMask valid) { return (valid & bit(space)) == 0; });
}

RangeSet ResidencyMap::valid_only(SpaceId space, const RangeSet& ranges) const {
  return select(pieces_, ranges, [&](SpaceMask valid) { return valid == bit(space); });
}

RangeSet ResidencyMap::undefined(const RangeSet& ranges) const {
  return select(pieces_, ranges, [](SpaceMask valid) { return valid == 0; });
}

std::vector<Piece> ResidencyMap::shared(SpaceId space, const RangeSet& ranges) const {
  return parts(pieces_, ranges, [&](SpaceMask valid) { return (valid & ~bit(space)) != 0; });
}

std::vector<Piece> ResidencyMap::pieces(const RangeSet& ranges) const {
  return parts(pieces_, ranges, [](SpaceMask) { return true; });
}

}  // namespace skmd::domain
