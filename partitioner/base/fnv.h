// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace skmd::domain {

/// FNV-1a of 32 bits: the same everywhere and for ever, and no protection against texts made to collide. `hash`: that
/// of what stands before the text.
constexpr std::uint32_t fnv(std::string_view text, std::uint32_t hash = 2166136261u) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace skmd::domain
