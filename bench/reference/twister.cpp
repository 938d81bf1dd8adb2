// SPDX-License-Identifier: Apache-2.0
#include "bench/reference/twister.h"

#include "bench/support/random.h"

namespace bench::twister {

Generator generator(std::size_t index) {
  constexpr std::uint32_t kMaskB = 0x9D2C5680u;  // MT19937's: its shifts by 7 and 15 are used here too
  constexpr std::uint32_t kMaskC = 0xEFC60000u;
  return {kTwists[index % kTwists.size()], kMaskB, kMaskC, static_cast<std::uint32_t>(mix(index) | 1u)};
}

Twister::Twister(const Generator& generator) : generator_(generator) {
  history_[0] = generator.seed;
  for (std::size_t k = 1; k < kWords; ++k) {
    const std::uint32_t before = history_[k - 1];
    history_[k] = 1812433253u * (before ^ (before >> 30)) + static_cast<std::uint32_t>(k);
  }
}

std::uint32_t Twister::next() {
  const auto back = [this](std::size_t k) { return history_[(oldest_ + k) % kWords]; };
  const std::uint32_t joined = (back(0) & ~1u) | (back(1) & 1u);
  std::uint32_t x = back(kMiddle) ^ (joined >> 1);
  if ((joined & 1u) != 0) x ^= generator_.twist;
  history_[oldest_] = x;
  oldest_ = (oldest_ + 1) % kWords;
  x ^= x >> 12;
  x ^= (x << 7) & generator_.mask_b;
  x ^= (x << 15) & generator_.mask_c;
  return x ^ (x >> 18);
}

}  // namespace bench::twister
