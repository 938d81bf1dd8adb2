// SPDX-License-Identifier: Apache-2.0
// Memory of bitmaps that is kept from one merge to the next: zeroing pages that the caches know costs a fraction of
// getting new ones from the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cpu-driver/runtime/runtime_constants.h"

namespace skmd::cpu {

class KeptMap {
 public:
  /// At least `words` words, with arbitrary contents; words() is null if there is no memory. Thread-safe.
  static KeptMap take(std::uint64_t words);

  KeptMap() = default;
  KeptMap(KeptMap&& other) noexcept { swap(other); }
  KeptMap& operator=(KeptMap&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Keeps the memory for the next take(), unless too much is kept already.
  ~KeptMap();

  [[nodiscard]] std::uint64_t* words() const { return words_; }

  /// What is kept at most, of all maps together.
  static constexpr std::uint64_t kMaxKept = tuning::kMaxKeptMaps;
  /// Bytes of the maps that are kept now.
  static std::uint64_t kept();

 private:
  struct Shelf;
  static Shelf& shelf();
  static KeptMap made(std::uint64_t bytes);
  void swap(KeptMap& other) noexcept {
    std::swap(pages_, other.pages_);
    std::swap(words_, other.words_);
    std::swap(bytes_, other.bytes_);
  }
  void unmap() const;

  std::byte* pages_ = nullptr;
  std::uint64_t* words_ = nullptr;
  std::uint64_t bytes_ = 0;  // from words_ on
};

}  // namespace skmd::cpu
