// SPDX-License-Identifier: Apache-2.0
// A span of work-groups that a device runs in pieces and that may be stopped between them: how long a piece is, which
// groups have run, and which are left. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "partitioner/base/nd_range.h"

namespace skmd::domain {

/// What the length of a piece goes by.
struct PieceRule {
  double group_seconds = 0.0;     // what a group adds to the time of a piece; 0: not known
  double piece_seconds = 0.0;     // no piece is predicted to take longer, unless the least one does; 0: no limit
  std::uint64_t granularity = 1;  // pieces longer than that end at multiples of it, if not too short
  /// Groups of the shortest piece, and of the first while group_seconds is not known: fewer would leave some of the
  /// device idle, and take as long.
  std::uint64_t least = 1;
};

/// The next piece of `rest`, from its first group on: the whole rest if that is predicted to take no longer than a
/// piece may, else a part of about the same length as those that follow it; rule.least groups in any case, and no rest
/// of fewer. `before`: groups of the piece before it, 0:
/// there is none; while times are not known, pieces double. Precondition: `rest` is not empty.
GroupSpan next_piece(const GroupSpan& rest, std::uint64_t before, const PieceRule& rule);

/// Which groups of a span are under way, have run and are left. Each group is in exactly one of the three. Not
/// thread-safe.
class PieceSequence {
 public:
  /// Pieces that may be under way at once.
  static constexpr std::uint32_t kUnderWay = 2;
  explicit PieceSequence(const GroupSpan& span);

  /// The piece of the groups that are left that should begin next; nothing if none is left or stop() was called.
  [[nodiscard]] std::optional<GroupSpan> next(const PieceRule& rule) const;
  /// `piece`, as next() told, is under way from now on. Does not allocate. Precondition: fewer than kUnderWay are.
  void begin(const GroupSpan& piece);
  /// A piece that was under way has ended. Its first `ran` groups have run, the others are left again. Does not
  /// allocate.
  void ended(const GroupSpan& piece, std::uint64_t ran);
  /// No further piece begins.
  void stop() { stopped_ = true; }

  [[nodiscard]] bool stopped() const { return stopped_; }
  /// Pieces that are.
  [[nodiscard]] std::uint32_t under_way() const { return under_way_; }
  /// Whether each group of `whole` has run once or is left, and no other has or is. Does not allocate. Precondition:
  /// none is under way.
  [[nodiscard]] bool covers(const GroupSpan& whole) const;
  /// Ascending, with a gap between any two.
  [[nodiscard]] std::span<const GroupSpan> done() const { return done_; }
  [[nodiscard]] std::span<const GroupSpan> left() const { return left_; }

 private:
  std::vector<GroupSpan> left_, done_;
  std::uint64_t before_ = 0;  // groups of the last piece that began
  std::uint32_t under_way_ = 0;
  bool stopped_ = false;
};

/// Adds `span` to ascending spans with gaps between them, of which none shares a group with it.
void insert_span(std::vector<GroupSpan>& spans, const GroupSpan& span);

/// Whether each group of `whole` is in exactly one of `parts`, in any order, and no other group is.
bool tiles(const GroupSpan& whole, std::vector<GroupSpan> parts);

}  // namespace skmd::domain
