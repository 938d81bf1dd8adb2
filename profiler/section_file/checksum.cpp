// SPDX-License-Identifier: Apache-2.0
#include "profiler/section_file/checksum.h"

#include <algorithm>
#include <cstring>

namespace skmd::section_file {

namespace {

constexpr std::uint64_t kPrime = 0x100000001B3u;  // of FNV-1a

/// One to one in either argument. The upper half is folded in, since a product alone never changes lower bits by higher
/// ones.
std::uint64_t mix(std::uint64_t hash, std::uint64_t number) {
  hash = (hash ^ number) * kPrime;
  return hash ^ (hash >> 32);
}

}  // namespace

void Checksum::Rows::add_blocks(const std::byte* bytes, std::size_t count) {
  std::array<std::uint64_t, kRows> rows = rows_;
  for (std::size_t i = 0; i < count; ++i, bytes += kBlock) {
    std::array<std::uint64_t, kRows> numbers;
    std::memcpy(numbers.data(), bytes, kBlock);
    for (std::size_t row = 0; row < kRows; ++row) rows[row] = mix(rows[row], numbers[row]);
  }
  rows_ = rows;
}

std::uint64_t Checksum::Rows::finish(std::span<const std::byte> rest, std::uint64_t bytes) const {
  Rows last = *this;
  if (!rest.empty()) {
    std::array<std::byte, kBlock> block{};
    std::copy(rest.begin(), rest.end(), block.begin());
    last.add_blocks(block.data(), 1);
  }
  std::uint64_t sum = mix(kStart, bytes);
  for (const std::uint64_t row : last.rows_) sum = mix(sum, row);
  return sum;
}

void Checksum::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    // A full chunk waits for what follows: finish_chunk() gives the last one.
    if (in_chunk_ == kChunkBytes) add_chunk(finish_chunk(), kChunkBytes);
    std::size_t take = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), kChunkBytes - in_chunk_));
    if (in_rest_ != 0 || take < kBlock) {
      take = std::min(take, kBlock - in_rest_);
      std::memcpy(rest_.data() + in_rest_, bytes.data(), take);
      in_rest_ += take;
      if (in_rest_ == kBlock) rows_.add_blocks(rest_.data(), 1), in_rest_ = 0;
    } else {
      take -= take % kBlock;
      rows_.add_blocks(bytes.data(), take / kBlock);
    }
    in_chunk_ += take;
    bytes = bytes.subspan(take);
  }
}

std::uint64_t Checksum::finish_chunk() {
  const std::uint64_t sum = rows_.finish({rest_.data(), in_rest_}, in_chunk_);
  rows_ = Rows();
  in_rest_ = 0;
  in_chunk_ = 0;
  return sum;
}

void Checksum::add_chunk(std::uint64_t sum, std::uint64_t bytes) {
  sum_ = mix(sum_, sum);
  total_ += bytes;
}

std::uint64_t Checksum::finish() {
  if (in_chunk_ != 0) {
    const std::uint64_t bytes = in_chunk_;
    add_chunk(finish_chunk(), bytes);
  }
  return mix(sum_, total_);
}

}  // namespace skmd::section_file
