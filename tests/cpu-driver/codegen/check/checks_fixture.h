// SPDX-License-Identifier: Apache-2.0
// Buffers between pages that may not be touched, and programs whose accesses are checked.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {

inline constexpr std::uint64_t kPage = 4096;

/// `count` elements, the last one right before (or the first one right behind) a page that may not be touched.
template <class T>
class Guarded {
 public:
  enum Side { behind, before };
  explicit Guarded(std::uint64_t count, Side side = behind)
      : count_(count), room_((bytes() + kPage - 1) / kPage * kPage) {
    pages_ = static_cast<std::byte*>(
        ::mmap(nullptr, room_ + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    EXPECT_EQ(::mprotect(pages_ + kPage, room_, PROT_READ | PROT_WRITE), 0);
    at_ = pages_ + kPage + (side == behind ? room_ - bytes() : 0);
    for (std::uint64_t i = 0; i < count_; ++i) (*this)[i] = static_cast<T>(i + 1);
  }
  ~Guarded() { ::munmap(pages_, room_ + 2 * kPage); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  [[nodiscard]] std::uint64_t bytes() const { return count_ * sizeof(T); }
  [[nodiscard]] std::byte* data() const { return at_; }
  T& operator[](std::uint64_t i) { return reinterpret_cast<T*>(at_)[i]; }

 private:
  std::uint64_t count_, room_;
  std::byte* pages_;
  std::byte* at_;
};

template <class T>
Arguments& operator<<(Arguments& arguments, Guarded<T>& buffer) {
  return arguments.buffer(buffer.data(), buffer.bytes());
}

/// For each way, kernels that are checked.
class Checks : public testing::TestWithParam<Way> {
 protected:
  static Program checked(const std::string& source) { return {source, GetParam(), "-cl-std=CL3.0", true}; }
  /// What is told begins with `text`: which of several accesses came first is not said.
  static void expect(const Program& program, const std::string& text) {
    EXPECT_EQ(program.failed().substr(0, text.size()), text);
  }
};

}  // namespace skmd::cpu::test
