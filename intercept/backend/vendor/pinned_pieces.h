// SPDX-License-Identifier: Apache-2.0
// Pieces of page-locked memory, lent to the threads that move bytes of one device.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// Bytes. Smaller transfers gain nothing from staging.
inline constexpr std::uint64_t kStagedLeast = std::uint64_t{4} << 20;
/// Bytes. Narrower rows are left to the driver: what a thread saves by copying them, the device loses by fetching them.
inline constexpr std::uint64_t kStagedWidth = 256;
/// Bytes of one piece: large enough that a thread's copy hides the cost of an enqueue.
inline constexpr std::uint64_t kPinnedPiece = std::uint64_t{1} << 20;
/// More threads than these do not copy faster than a link moves; each has one piece on the link and copies another.
inline constexpr std::size_t kStagingThreads = 8;
inline constexpr std::size_t kPinnedPieces = 2 * kStagingThreads;

/// For one read of few bytes each, or a part of one that is not large. Applications that read little seldom wait for
/// several reads at a time.
inline constexpr std::uint64_t kSmallPiece = kPinnedPiece;
inline constexpr std::size_t kSmallPieces = 4;

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
  Mutex mutex_;
  std::condition_variable given_;
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
