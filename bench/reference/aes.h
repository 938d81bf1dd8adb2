// SPDX-License-Identifier: Apache-2.0
// AES-128 (FIPS 197) on the host, byte by byte as the standard writes it.
#pragma once

#include <array>
#include <cstdint>

namespace bench::aes {

inline constexpr int kRounds = 10;
using Block = std::array<std::uint8_t, 16>;
using Key = std::array<std::uint8_t, 16>;
using RoundKeys = std::array<std::uint8_t, 16 * (kRounds + 1)>;
using Box = std::array<std::uint8_t, 256>;

/// The substitution of section 5.1.1, computed from its definition, and its inverse.
const Box& box();
const Box& inverse_box();

RoundKeys expand(const Key& key);
Block encrypt(const Block& plain, const RoundKeys& keys);
Block decrypt(const Block& cipher, const RoundKeys& keys);

}  // namespace bench::aes
