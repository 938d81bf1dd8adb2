// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CL/cl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <utility>

/// What a buffer holds at first, or is overwritten with: elements of `size` bytes, each random & mask.
struct Content {
  std::string kind;  // none, bits, floats, doubles, permutation
  std::uint64_t seed = 0, mask = 0;
  unsigned size = 1;
};

inline std::istream& operator>>(std::istream& in, Content& content) {
  return in >> content.kind >> content.seed >> std::hex >> content.mask >> std::dec >> content.size;
}

struct Random {
  std::uint64_t state;
  std::uint64_t operator()() {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
};

inline void make(const Content& content, unsigned char* to, std::size_t bytes) {
  Random random{content.seed};
  if (content.kind == "permutation") {
    auto* values = reinterpret_cast<cl_uint*>(to);
    const std::size_t count = bytes / sizeof(cl_uint);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<cl_uint>(i);
    for (std::size_t i = count; i > 1; --i) std::swap(values[i - 1], values[random() % i]);
    return;
  }
  for (std::size_t at = 0; at < bytes; at += content.size) {
    const std::uint64_t value = random() & content.mask;
    const auto real = static_cast<float>(value);
    const auto wide = static_cast<double>(value);
    const void* from = content.kind == "floats"    ? static_cast<const void*>(&real)
                       : content.kind == "doubles" ? static_cast<const void*>(&wide)
                                                   : &value;
    std::copy_n(static_cast<const unsigned char*>(from), std::min<std::size_t>(content.size, bytes - at), to + at);
  }
}

inline std::uint64_t hash(const unsigned char* data, std::size_t bytes) {
  std::uint64_t value = 0xCBF29CE484222325u;
  for (std::size_t i = 0; i < bytes; ++i) value = (value ^ data[i]) * 0x100000001B3u;
  return value;
}
