// SPDX-License-Identifier: Apache-2.0
// A document in pieces, in a file that is mapped shared: however the process ends, skmd-run can put the last state of
// every piece together. Replacing a piece writes the copy that is not valid and then flips one aligned word, so a
// process killed at any instruction leaves each piece as it was before or after.
//
// Layout (little endian; skmd-run reads it without this header):
//   0   8 bytes  "SKMDPIEC"
//   8   u32      version, 1
//   12  u32      bytes used; pieces follow each other from 64 to here, each starting at a multiple of 8
//   piece: u32 capacity · u32 kind (0 head, 1 element, 2 tail) · u64 word · capacity bytes · capacity bytes
//   word: 0 nothing yet; else length·2 + which copy
// The document is the head, the elements joined by commas, the tail.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace skmd::icd {

class SharedPieces {
 public:
  enum class Kind : std::uint32_t { head, element, tail };
  using Piece = std::uint32_t;  // place in the file
  static constexpr Piece kNoPiece = 0;

  SharedPieces() = default;
  ~SharedPieces();
  SharedPieces(const SharedPieces&) = delete;
  SharedPieces& operator=(const SharedPieces&) = delete;

  /// Maps `folder`/<process id>.pieces. False if that cannot be done; everything else is then without effect.
  bool open_in(const std::string& folder);
  [[nodiscard]] bool is_open() const { return base_ != nullptr; }
  /// kNoPiece when the file is full. Callers serialise add() and set().
  Piece add(Kind kind, std::uint32_t capacity);
  /// A text longer than the capacity leaves the piece as it was.
  void set(Piece piece, std::string_view text);

 private:
  char* base_ = nullptr;
};

}  // namespace skmd::icd
