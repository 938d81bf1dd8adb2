// SPDX-License-Identifier: Apache-2.0
#include "bench/reference/aes.h"

#include <algorithm>
#include <cstddef>

namespace bench::aes {
namespace {

using std::size_t;
using std::uint8_t;

constexpr uint8_t multiply(uint8_t a, uint8_t b) {
  uint8_t product = 0;
  for (int bit = 0; bit < 8; ++bit) {
    if ((b & 1) != 0) product ^= a;
    a = static_cast<uint8_t>((a << 1) ^ ((a & 0x80) != 0 ? 0x1B : 0));
    b >>= 1;
  }
  return product;
}

Box make_box() {
  Box result{};
  for (int value = 0; value < 256; ++value) {
    uint8_t inverse = 0;
    for (int candidate = 1; candidate < 256 && value != 0 && inverse == 0; ++candidate) {
      if (multiply(static_cast<uint8_t>(value), static_cast<uint8_t>(candidate)) == 1)
        inverse = static_cast<uint8_t>(candidate);
    }
    uint8_t out = 0x63;
    for (int turn = 0; turn < 5; ++turn) out ^= static_cast<uint8_t>((inverse << turn) | (inverse >> (8 - turn)));
    result[static_cast<size_t>(value)] = out;
  }
  return result;
}

Box invert(const Box& forward) {
  Box result{};
  for (size_t value = 0; value < 256; ++value) result[forward[value]] = static_cast<uint8_t>(value);
  return result;
}

using Row = std::array<uint8_t, 4>;

/// Each column times the circulant matrix whose first row is `row`; products from tables.
struct Mixer {
  std::array<Box, 4> times{};
  explicit Mixer(Row row) {
    for (size_t k = 0; k < 4; ++k) {
      for (size_t v = 0; v < 256; ++v) times[k][v] = multiply(row[k], static_cast<uint8_t>(v));
    }
  }
  void apply(Block& state) const {
    for (size_t c = 0; c < 16; c += 4) {
      const Row in = {state[c], state[c + 1], state[c + 2], state[c + 3]};
      for (size_t r = 0; r < 4; ++r) {
        state[c + r] =
            times[0][in[r]] ^ times[1][in[(r + 1) % 4]] ^ times[2][in[(r + 2) % 4]] ^ times[3][in[(r + 3) % 4]];
      }
    }
  }
};

void add_key(Block& state, const RoundKeys& keys, int round) {
  for (size_t i = 0; i < 16; ++i) state[i] ^= keys[16 * static_cast<size_t>(round) + i];
}

/// Substitutes, and turns row r left by r·step columns.
void substitute_and_shift(Block& state, const Box& table, size_t step) {
  const Block in = state;
  for (size_t c = 0; c < 4; ++c) {
    for (size_t r = 0; r < 4; ++r) state[4 * c + r] = table[in[4 * ((c + r * step) % 4) + r]];
  }
}

}  // namespace

const Box& box() {
  static const Box table = make_box();
  return table;
}

const Box& inverse_box() {
  static const Box table = invert(box());
  return table;
}

RoundKeys expand(const Key& key) {
  RoundKeys keys{};
  std::copy(key.begin(), key.end(), keys.begin());
  uint8_t constant = 1;
  for (size_t i = 16; i < keys.size(); i += 4) {
    Row word = {keys[i - 4], keys[i - 3], keys[i - 2], keys[i - 1]};
    if (i % 16 == 0) {
      word = {static_cast<uint8_t>(box()[word[1]] ^ constant), box()[word[2]], box()[word[3]], box()[word[0]]};
      constant = multiply(constant, 2);
    }
    for (size_t k = 0; k < 4; ++k) keys[i + k] = keys[i - 16 + k] ^ word[k];
  }
  return keys;
}

Block encrypt(const Block& plain, const RoundKeys& keys) {
  static const Mixer mixer({2, 3, 1, 1});
  Block state = plain;
  add_key(state, keys, 0);
  for (int round = 1; round <= kRounds; ++round) {
    substitute_and_shift(state, box(), 1);
    if (round < kRounds) mixer.apply(state);
    add_key(state, keys, round);
  }
  return state;
}

Block decrypt(const Block& cipher, const RoundKeys& keys) {
  static const Mixer mixer({14, 11, 13, 9});
  Block state = cipher;
  add_key(state, keys, kRounds);
  for (int round = kRounds - 1; round >= 0; --round) {
    substitute_and_shift(state, inverse_box(), 3);
    add_key(state, keys, round);
    if (round > 0) mixer.apply(state);
  }
  return state;
}

}  // namespace bench::aes
