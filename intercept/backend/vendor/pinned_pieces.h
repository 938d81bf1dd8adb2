// SPDX-License-Identifier: Apache-2.0
// Pieces of page-locked memory, lent to the threads that move bytes of one device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// Thread-safe.
class PinnedPieces {
 public:
  /// `base`: `pieces` times `bytes` bytes that live as long as `owner`.
  PinnedPieces(std::byte* base, std::shared_ptr<void> owner, std::size_t pieces, std::uint64_t bytes);

  /// Null if all are lent.
  std::byte* try_take();
  /// Blocks while all are lent. Precondition: the calling thread holds no piece, or threads could wait for each other.
  std::byte* take();
  void give(std::byte* piece);

 private:
  const std::shared_ptr<void> owner_;
  Mutex mutex_{LockRank::pinned_pieces};
  Condition given_;
  std::vector<std::byte*> free_ SKMD_GUARDED_BY(mutex_);
};

/// One piece, given back at the end.
class PinnedLoan {
 public:
  PinnedLoan() = default;
  /// Holds none where `pieces` is null or has none left.
  explicit PinnedLoan(PinnedPieces* pieces)
      : pieces_(pieces), piece_(pieces != nullptr ? pieces->try_take() : nullptr) {}
  PinnedLoan(PinnedLoan&& other) noexcept : pieces_(other.pieces_), piece_(std::exchange(other.piece_, nullptr)) {}
  PinnedLoan& operator=(PinnedLoan&&) = delete;
  ~PinnedLoan() {
    if (piece_ != nullptr) pieces_->give(piece_);
  }
  [[nodiscard]] std::byte* piece() const { return piece_; }

 private:
  PinnedPieces* pieces_ = nullptr;
  std::byte* piece_ = nullptr;
};

}  // namespace skmd::icd
