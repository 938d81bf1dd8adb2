// SPDX-License-Identifier: Apache-2.0
// Which byte ranges of one root buffer are valid in which memory space. Space 0 is host memory; devices that share the
// host's memory use space 0, every other device has a space of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partitioner/byte_ranges.h"

namespace skmd::domain {

using SpaceId = std::uint32_t;
using SpaceMask = std::uint64_t;  // bit s: valid in space s; 0: undefined (nobody ever wrote it)
inline constexpr SpaceId kHostSpace = 0;
inline constexpr SpaceId kMaxSpaces = 64;

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
  /// Bytes written by somebody in `space`: valid there and nowhere else. No allocation where they are already.
  void written(SpaceId space, const RangeSet& ranges);
  /// Bytes copied into `space` from where they were valid. Undefined bytes stay undefined.
  void copied(SpaceId space, const RangeSet& ranges);
  /// What was copied or written to `space` may not be there after all: no longer valid in it, except where no other
  /// space has the bytes either. Without memory to split pieces, so are their other bytes.
  void withdrawn(SpaceId space, const RangeSet& ranges) noexcept;
  /// Undoes what happened since `pieces` were asked for (shared()): valid where they were, except in `but_not`. Without
  /// such an exception it takes no memory that is not there, as long as the map has no more pieces than it has had.
  void restored(const std::vector<Piece>& pieces, SpaceMask but_not = 0);
  /// Contents given up: undefined again.
  void forgotten(const RangeSet& ranges);
  /// The native object of `space` is gone. Bytes valid only there become undefined (the caller gathers first).
  void dropped(SpaceId space);

  /// Defined bytes of `ranges` that are not valid in `space`.
  [[nodiscard]] RangeSet missing(SpaceId space, const RangeSet& ranges) const;
  /// The same, counted: no allocation.
  [[nodiscard]] std::uint64_t missing_bytes(SpaceId space, const RangeSet& ranges) const;
  /// What of that goes over links until `space` has it: twice what only other devices have, which goes through host
  /// memory. No allocation.
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
  /// Of all pieces that meet `ranges`, whole.
  void withdraw_pieces(SpaceId space, std::span<const ByteRange> ranges) noexcept;
  /// restored() of one piece, without memory to build the pieces anew.
  void restore_in_place(const Piece& old);
  void join_neighbours() noexcept;
  std::uint64_t bytes_;
  std::vector<Piece> pieces_;
};

}  // namespace skmd::domain
