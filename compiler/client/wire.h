// SPDX-License-Identifier: Apache-2.0
// Little-endian fields, one after the other. The reader never reads outside its bytes, and keeps the first error.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace skmd::compiler {

static_assert(std::endian::native == std::endian::little, "fields are written as they lie in memory");

class Writer {
 public:
  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void byte(std::uint8_t value) { bytes_ += static_cast<char>(value); }
  void flag(bool value) { byte(value ? 1 : 0); }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (const std::string_view field = take(sizeof value); good_) std::memcpy(&value, field.data(), sizeof value);
    return value;
  }
  /// A value above `limit` is an error.
  std::uint8_t byte(std::uint8_t limit) {
    const std::string_view field = take(1);
    const auto value = good_ ? static_cast<std::uint8_t>(field[0]) : std::uint8_t{0};
    if (value > limit) good_ = false;
    return good_ ? value : std::uint8_t{0};
  }
  bool flag() { return byte(1) == 1; }
  std::string_view view() { return take(number()); }
  std::string text() { return std::string(view()); }
  /// The number of items that follow; an error if they would not fit at `item_bytes` each, so that a damaged count
  /// reserves no memory.
  std::uint64_t count(std::size_t item_bytes) {
    const std::uint64_t value = number();
    if (value > rest_.size() / item_bytes) good_ = false;
    return good_ ? value : 0;
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool complete() const { return good_ && rest_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    if (!good_ || size > rest_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view field = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return field;
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace skmd::compiler
