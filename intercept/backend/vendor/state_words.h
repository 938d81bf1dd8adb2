// SPDX-License-Identifier: Apache-2.0
// Host memory through which states of work-groups go to a device and come from it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "intercept/backend/vendor/pinned_pieces.h"
#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd {

/// Words of memory, page-locked where one of `pieces` is free and large enough. Their contents are not set.
class StateWords {
 public:
  /// `pieces`: of tuning::kStatePiece bytes; null: there are none. Throws std::bad_alloc.
  StateWords(std::uint64_t words, std::shared_ptr<PinnedPieces> pieces)
      : words_(words),
        pieces_(words * 4 <= tuning::kStatePiece ? std::move(pieces) : nullptr),
        loan_(pieces_.get()),
        own_(loan_.piece() == nullptr ? new std::uint32_t[words] : nullptr) {}

  [[nodiscard]] std::uint64_t size() const { return words_; }
  [[nodiscard]] std::uint32_t* data() const {
    return loan_.piece() != nullptr ? reinterpret_cast<std::uint32_t*>(loan_.piece()) : own_.get();
  }

 private:
  const std::uint64_t words_;
  const std::shared_ptr<PinnedPieces> pieces_;
  const PinnedLoan loan_;
  const std::unique_ptr<std::uint32_t[]> own_;
};

}  // namespace skmd::icd
