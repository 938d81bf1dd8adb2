// SPDX-License-Identifier: Apache-2.0
// The checksum of sections: FNV-1a over numbers of eight bytes, in eight interleaved rows, several bytes a cycle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace skmd::section_file {

/// Bytes that are summed by themselves; the sums are summed again, so that several threads can share a section.
inline constexpr std::uint64_t kChunkBytes = std::uint64_t{4} << 20;

/// Finds damage, not intent. Any change inside one number of eight bytes changes it.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes);
  /// The sum of a whole chunk that was made elsewhere. Precondition: so far there are whole chunks alone.
  void add_chunk(std::uint64_t sum, std::uint64_t bytes);
  /// Of all so far. Once.
  [[nodiscard]] std::uint64_t finish();
  /// Of what was added, less than a chunk or one: what add_chunk() takes. Once.
  [[nodiscard]] std::uint64_t finish_chunk();

 private:
  static constexpr std::uint64_t kStart = 0xCBF29CE484222325u;  // of FNV-1a
  static constexpr std::size_t kRows = 8, kBlock = kRows * 8;   // numbers side by side, and their bytes
  class Rows {
   public:
    Rows() { rows_.fill(kStart); }
    void add_blocks(const std::byte* bytes, std::size_t count);
    [[nodiscard]] std::uint64_t finish(std::span<const std::byte> rest, std::uint64_t bytes) const;

   private:
    std::array<std::uint64_t, kRows> rows_;
  };
  Rows rows_;
  std::array<std::byte, kBlock> rest_{};
  std::size_t in_rest_ = 0;
  std::uint64_t in_chunk_ = 0;  // bytes
  std::uint64_t sum_ = kStart, total_ = 0;
};

inline std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  Checksum sum;
  sum.add(bytes);
  return sum.finish();
}

}  // namespace skmd::section_file
