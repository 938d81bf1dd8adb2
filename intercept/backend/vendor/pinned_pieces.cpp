// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/pinned_pieces.h"

#include <utility>

namespace skmd::icd {

PinnedPieces::PinnedPieces(std::byte* base, std::shared_ptr<void> owner, std::size_t pieces, std::uint64_t bytes)
    : owner_(std::move(owner)) {
  free_.reserve(pieces);
  for (std::size_t i = 0; i < pieces; ++i) free_.push_back(base + i * bytes);
}

std::byte* PinnedPieces::try_take() {
  const MutexGuard lock(mutex_);
  if (free_.empty()) return nullptr;
  std::byte* piece = free_.back();
  free_.pop_back();
  return piece;
}

std::byte* PinnedPieces::take() {
  MutexLock lock(mutex_);
  given_.wait(lock, [this]() SKMD_REQUIRES(mutex_) { return !free_.empty(); });
  std::byte* piece = free_.back();
  free_.pop_back();
  return piece;
}

void PinnedPieces::give(std::byte* piece) {
  {
    const MutexGuard lock(mutex_);
    free_.push_back(piece);
  }
  given_.notify_one();
}

}  // namespace skmd::icd
