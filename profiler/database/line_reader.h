// SPDX-License-Identifier: Apache-2.0
// Reads the fields of a line's object, for profiler/database alone.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "profiler/database/sample_text.h"

namespace skmd::profiler {

/// True: a whole number that T holds. The parser keeps numbers above INT64_MAX as unsigned, and would wrap them.
template <class T>
bool fits(const nlohmann::json& value) {
  if (value.is_number_unsigned()) return std::in_range<T>(value.get<std::uint64_t>());
  return value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
}

/// Reads fields; keeps the first thing that is wrong.
class Reader {
 public:
  Reader(const nlohmann::json& object, std::string& problem) : object_(object), problem_(problem) {}

  void read(const char* key, std::string& to) {
    if (const nlohmann::json* value = find(key))
      value->is_string() ? void(to = value->get<std::string>()) : wrong(key, "text");
  }
  void read(const char* key, bool& to) {
    if (const nlohmann::json* value = find(key))
      value->is_boolean() ? void(to = value->get<bool>()) : wrong(key, "true or false");
  }
  void read(const char* key, double& to) {
    const nlohmann::json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_number() || !std::isfinite(value->get<double>()) || value->get<double>() < 0)
      return wrong(key, "a number from 0");
    to = value->get<double>();
  }
  void read(const char* key, std::uint64_t& to) {
    if (const nlohmann::json* value = find(key))
      value->is_number_unsigned() ? void(to = value->get<std::uint64_t>()) : wrong(key, "a whole number from 0");
  }
  void read(const char* key, std::uint32_t& to) {
    std::uint64_t wide = to;
    read(key, wide);
    wide <= std::numeric_limits<std::uint32_t>::max() ? void(to = static_cast<std::uint32_t>(wide))
                                                      : wrong(key, "below 2^32");
  }
  void read(const char* key, std::int64_t& to) {
    if (const nlohmann::json* value = find(key))
      fits<std::int64_t>(*value) ? void(to = value->get<std::int64_t>()) : wrong(key, "a whole number of 64 bits");
  }
  template <std::size_t N>
  void read(const char* key, std::array<std::uint64_t, N>& to) {
    const nlohmann::json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_array() || value->size() != N) return wrong(key, "a list of three numbers");
    for (std::size_t i = 0; i < N; ++i) {
      if (!(*value)[i].is_number_unsigned()) return wrong(key, "a list of three numbers");
      to[i] = (*value)[i].get<std::uint64_t>();
    }
  }
  /// Pairs of an argument's index and a value.
  template <class T, class V>
  void read_pairs(const char* key, std::vector<T>& to, V T::*field) {
    const nlohmann::json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_array()) return wrong(key, "a list");
    for (const nlohmann::json& pair : *value) {
      if (!pair.is_array() || pair.size() != 2 || !fits<std::uint32_t>(pair[0]) || !fits<V>(pair[1]))
        return wrong(key, "pairs of an argument's index and a number");
      T entry;
      entry.index = pair[0].get<std::uint32_t>();
      entry.*field = pair[1].get<V>();
      to.push_back(entry);
    }
  }

  /// Null where it is missing.
  const nlohmann::json* find(const char* key) {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  void wrong(const char* key, const char* meant) {
    if (problem_.empty()) problem_ = std::string(key) + " is " + excerpt_of(object_[key]) + "; expected " + meant;
  }

 private:
  const nlohmann::json& object_;
  std::string& problem_;
};

}  // namespace skmd::profiler
