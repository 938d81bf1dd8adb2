// SPDX-License-Identifier: Apache-2.0
// Small Mersenne Twisters of period 2^607 - 1 (19 words, middle word 9), after Matsumoto and Nishimura's "Dynamic
// Creation of Pseudorandom Number Generators".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bench::twister {

struct Generator {
  std::uint32_t twist;  // the last row of the twist matrix
  std::uint32_t mask_b;
  std::uint32_t mask_c;
  std::uint32_t seed;
};

/// Twists for which the recurrence's characteristic polynomial is primitive, so that the period is full.
inline constexpr std::array<std::uint32_t, 32> kTwists = {
    0x96215057u, 0xBB09D185u, 0xEBE771FDu, 0xC0331F6Au, 0xCF2D58E2u, 0xD53B0755u, 0xC9C8B557u, 0xCFF31DAFu,
    0x928D3E86u, 0xA441CA55u, 0xB15545E1u, 0xBC02ECC1u, 0x968EF62Au, 0xC64239FAu, 0x893777B9u, 0x84237873u,
    0xD97ED843u, 0xAA3810EBu, 0xAE00E522u, 0xEC3948E8u, 0xF6FAED05u, 0xF67FA052u, 0x8B739A60u, 0xFAE1EBD4u,
    0xADA94C50u, 0xFA46C7DFu, 0x8B198F75u, 0x949235DAu, 0x87740B98u, 0xF2350DCDu, 0xDB1DCD5Au, 0xA5B3D7FCu};

/// Generator `index` of a family: twists take turns, seeds are all different.
Generator generator(std::size_t index);

/// The generator's sequence, written from the recurrence x[k+19] = x[k+9] ^ twist(x[k], x[k+1]).
class Twister {
 public:
  explicit Twister(const Generator& generator);
  std::uint32_t next();

 private:
  static constexpr std::size_t kWords = 19;
  static constexpr std::size_t kMiddle = 9;

  Generator generator_;
  std::array<std::uint32_t, kWords> history_{};  // the last kWords values, a ring
  std::size_t oldest_ = 0;
};

/// To (0, 1], exactly representable.
inline float to_unit(std::uint32_t bits) { return (static_cast<float>(bits >> 8) + 1.0f) * 0x1p-24f; }

}  // namespace bench::twister
