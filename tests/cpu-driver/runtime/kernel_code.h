// SPDX-License-Identifier: Apache-2.0
// Span code of kernels, made by skmd-compile.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cpu-driver/runtime/span_library.h"

namespace skmd::cpu::test {

/// What skmd-compile makes of `source`; "" if it fails.
std::string span_code_of(const std::string& source);

/// A launch in one dimension.
SpanFrame line(std::uint64_t groups, std::uint64_t local);

template <class T>
SpanArgument whole(std::vector<T>& bytes) {
  return {reinterpret_cast<std::byte*>(bytes.data()), nullptr, bytes.size() * sizeof(T)};
}
template <class T>
SpanArgument merged(std::vector<T>& into, const std::vector<T>& result) {
  return {reinterpret_cast<std::byte*>(into.data()), reinterpret_cast<const std::byte*>(result.data()),
          into.size() * sizeof(T)};
}

/// A by-value argument, padded as span code wants it.
struct Value {
  template <class T>
  explicit Value(T value) : bytes(16) {
    static_assert(sizeof(T) <= 16);
    __builtin_memcpy(bytes.data(), &value, sizeof value);
  }
  SpanArgument argument() { return {bytes.data(), nullptr, bytes.size()}; }
  std::vector<std::byte> bytes;
};

}  // namespace skmd::cpu::test
