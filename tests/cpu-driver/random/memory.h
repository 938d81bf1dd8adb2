// SPDX-License-Identifier: Apache-2.0
// Memory that detects accesses outside of it.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

/// `bytes` bytes, aligned to 128, up to 127 bytes before a page that cannot be touched. What is between must stay as it
/// is.
class Guarded {
 public:
  explicit Guarded(std::size_t bytes) : bytes_(bytes) {
    const std::size_t used = up(up(bytes, kAlignment) + kAlignment, kPage);
    mapped_ = used + kPage;
    void* map = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(static_cast<std::byte*>(map) + used, kPage, PROT_NONE) != 0)
      throw std::runtime_error("no memory");
    map_ = static_cast<std::byte*>(map);
    std::memset(map_, kFence, used);
    data_ = map_ + used - up(bytes, kAlignment);
    std::memset(data_, 0, bytes);
  }
  ~Guarded() { munmap(map_, mapped_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  /// True if the bytes just before and behind it are unchanged.
  [[nodiscard]] bool intact() const {
    const auto is_fence = [](std::byte value) { return value == std::byte{kFence}; };
    return std::all_of(map_, data_, is_fence) && std::all_of(data_ + bytes_, data_ + up(bytes_, kAlignment), is_fence);
  }

 private:
  static constexpr std::size_t kAlignment = 128, kPage = 4096;
  static constexpr int kFence = 0xA5;
  static std::size_t up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

  std::size_t bytes_, mapped_ = 0;
  std::byte* map_ = nullptr;
  std::byte* data_ = nullptr;
};
