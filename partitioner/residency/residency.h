// SPDX-License-Identifier: Apache-2.0
// Which byte ranges of one root buffer are valid in which memory space. Space 0 is host memory; devices that share the
// host's memory use space 0, every other device has a space of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "partitioner/base/byte_ranges.h"

namespace skmd::domain {

using SpaceId = std::uint32_t;
using SpaceMask = std::uint64_t;  // bit s: valid in space s; 0: undefined (never written)
inline constexpr SpaceId kHostSpace = 0;
inline constexpr SpaceId kMaxSpaces = 64;  // bits of a SpaceMask

class ResidencyMap {
 public:
  struct Piece {
    ByteRange range;
    SpaceMask valid = 0;
    bool operator==(const Piece&) const = default;
  };

  /// Everything starts undefined. Invariant: pieces tile [0, bytes), neighbours differ in `valid`. A change that throws
  /// std::bad_alloc changes nothing.
  explicit ResidencyMap(std::uint64_t bytes);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Bytes were written in `space`: valid there and in no other space. Does not allocate where they are already.
  void written(SpaceId space, const RangeSet& ranges);
  /// As written(). Precondition: the bytes are valid in `space` or undefined. Never fails: without memory to split a
  /// piece that is valid in `space` or undefined, it marks the whole piece as written.
  void rewritten(SpaceId space, const RangeSet& ranges) noexcept;
  /// Bytes copied into `space` from where they were valid. Undefined bytes stay undefined.
  void copied(SpaceId space, const RangeSet& ranges);
  /// A copy or write to `space` failed: the bytes are no longer valid in it, except where no other space has them.
  /// Where there is no memory to split a piece, the whole piece is withdrawn.
  void withdrawn(SpaceId space, const RangeSet& ranges) noexcept;
  /// Restores the validity that shared() returned as `pieces`, except in the spaces `but_not`. With `but_not` = 0 it
  /// does not allocate, as long as the map has no more pieces than it once had.
  void restored(const std::vector<Piece>& pieces, SpaceMask but_not = 0);
  /// The contents are discarded: undefined again.
  void forgotten(const RangeSet& ranges);
  /// The native object of `space` is gone. Bytes valid only there become undefined (the caller gathers first).
  void dropped(SpaceId space);

  /// Defined bytes of `ranges` that are not valid in `space`.
  [[nodiscard]] RangeSet missing(SpaceId space, const RangeSet& ranges) const;
  /// The same, counted: no allocation.
  [[nodiscard]] std::uint64_t missing_bytes(SpaceId space, const RangeSet& ranges) const;
  /// Bytes over links until `space` has `ranges`: missing bytes count once, those valid only on other devices twice,
  /// since they go through host memory. No allocation.
  [[nodiscard]] std::uint64_t moved_bytes(SpaceId space, const RangeSet& ranges) const;
  [[nodiscard]] RangeSet valid(SpaceId space, const RangeSet& ranges) const;
  /// Every byte of `ranges` is valid in `space`. No allocation.
  [[nodiscard]] bool all_valid(SpaceId space, const RangeSet& ranges) const;
  [[nodiscard]] RangeSet valid_only(SpaceId space, const RangeSet& ranges) const;
  [[nodiscard]] RangeSet undefined(const RangeSet& ranges) const;
  /// The parts of `ranges` that are valid in spaces other than `space`, with all their spaces.
  [[nodiscard]] std::vector<Piece> shared(SpaceId space, const RangeSet& ranges) const;
  /// The pieces that overlap `ranges`, cut to them, ascending.
  [[nodiscard]] std::vector<Piece> pieces(const RangeSet& ranges) const;
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  /// Sets `valid` of all pieces that intersect `ranges`, each as a whole, to `change(piece)`.
  template <class Change>
  void change_pieces(const RangeSet& ranges, Change change) noexcept;
  /// restored() of one piece, without memory to build the pieces anew.
  void restore_in_place(const Piece& old);
  void join_neighbours() noexcept;
  std::uint64_t bytes_;
  std::vector<Piece> pieces_;
};

}  // namespace skmd::domain
