// SPDX-License-Identifier: Apache-2.0
// BLAKE2b (RFC 7693) with a 128-bit result: names cache entries and programs by content. About 1 GB/s without any
// library.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace skmd::compiler {

class Hasher {
 public:
  /// `digest_bytes`: 1 … 64.
  explicit Hasher(std::size_t digest_bytes = 16);
  void add(std::string_view bytes);
  /// Adds length and bytes, so that moving bytes between neighbouring fields changes the hash.
  void add_field(std::string_view bytes);
  /// Raw digest. Postcondition: the hasher must not be used again.
  std::string finish();

 private:
  void compress(const unsigned char* block, bool last);

  std::array<std::uint64_t, 8> state_;
  std::array<unsigned char, 128> block_{};
  std::size_t used_ = 0;
  std::uint64_t total_ = 0;
  std::size_t digest_bytes_;
};

std::string to_hex(std::string_view bytes);

/// 32 hex digits.
std::string content_hash(std::string_view bytes);

}  // namespace skmd::compiler
