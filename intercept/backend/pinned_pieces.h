// SPDX-License-Identifier: Apache-2.0
// Pieces of page-locked memory, lent to whoever moves bytes of one device.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace skmd::icd {

/// Thread-safe. Smaller transfers than this many bytes gain nothing.
inline constexpr std::uint64_t kStagedLeast = std::uint64_t{4} << 20;
/// Narrower rows are left to the driver: what a thread saves by copying them, the device loses by fetching them.
inline constexpr std::uint64_t kStagedWidth = 256;
/// Large enough that a thread's copy hides what an enqueue costs.
inline constexpr std::uint64_t kPinnedPiece = std::uint64_t{1} << 20;
/// More threads than these do not copy faster than a link moves; each has one piece on the link and one under its
/// hands.
inline constexpr std::size_t kStagingThreads = 8;
inline constexpr std::size_t kPinnedPieces = 2 * kStagingThreads;

class PinnedPieces {
 public:
  /// `base`: kPinnedPieces times kPinnedPiece bytes that live as long as `owner`.
  PinnedPieces(std::byte* base, std::shared_ptr<void> owner);

  /// Null if all are lent.
  std::byte* try_take();
  /// Blocks while all are lent. Only for those who hold none.
  std::byte* take();
  void give(std::byte* piece);

 private:
  const std::shared_ptr<void> owner_;
  std::mutex mutex_;
  std::condition_variable given_;
  std::vector<std::byte*> free_;
};

}  // namespace skmd::icd
