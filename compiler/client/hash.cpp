// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace skmd::compiler {
namespace {

constexpr std::array<std::uint64_t, 8> kInitial{0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                                0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                                0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

constexpr unsigned char kSigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

void mix(std::array<std::uint64_t, 16>& v, int a, int b, int c, int d, std::uint64_t x, std::uint64_t y) {
  v[a] += v[b] + x;
  v[d] = std::rotr(v[d] ^ v[a], 32);
  v[c] += v[d];
  v[b] = std::rotr(v[b] ^ v[c], 24);
  v[a] += v[b] + y;
  v[d] = std::rotr(v[d] ^ v[a], 16);
  v[c] += v[d];
  v[b] = std::rotr(v[b] ^ v[c], 63);
}

}  // namespace

Hasher::Hasher(std::size_t digest_bytes) : state_(kInitial), digest_bytes_(digest_bytes) {
  state_[0] ^= 0x01010000 ^ digest_bytes;
}

void Hasher::compress(const unsigned char* block, bool last) {
  std::array<std::uint64_t, 16> m;
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(m.data(), block, 128);
  std::array<std::uint64_t, 16> v;
  std::copy(state_.begin(), state_.end(), v.begin());
  std::copy(kInitial.begin(), kInitial.end(), v.begin() + 8);
  v[12] ^= total_;
  if (last) v[14] = ~v[14];
  for (int round = 0; round < 12; ++round) {
    const unsigned char* s = kSigma[round % 10];
    mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
    mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
    mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
    mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
    mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
    mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
    mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
    mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
  }
  for (int i = 0; i < 8; ++i) state_[i] ^= v[i] ^ v[i + 8];
}

void Hasher::add(std::string_view bytes) {
  while (!bytes.empty()) {
    // A full block waits: the last one is compressed differently.
    if (used_ == block_.size()) {
      total_ += used_;
      compress(block_.data(), false);
      used_ = 0;
    }
    const std::size_t take = std::min(bytes.size(), block_.size() - used_);
    std::memcpy(block_.data() + used_, bytes.data(), take);
    used_ += take;
    bytes.remove_prefix(take);
  }
}

void Hasher::add_field(std::string_view bytes) {
  const std::uint64_t size = bytes.size();
  add({reinterpret_cast<const char*>(&size), sizeof size});
  add(bytes);
}

std::string Hasher::finish() {
  total_ += used_;
  std::fill(block_.begin() + static_cast<std::ptrdiff_t>(used_), block_.end(), static_cast<unsigned char>(0));
  compress(block_.data(), true);
  return {reinterpret_cast<const char*>(state_.data()), digest_bytes_};
}

std::string to_hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char byte : bytes) {
    hex += kDigits[static_cast<unsigned char>(byte) >> 4];
    hex += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return hex;
}

std::string content_hash(std::string_view bytes) {
  Hasher hasher;
  hasher.add(bytes);
  return to_hex(hasher.finish());
}

}  // namespace skmd::compiler
