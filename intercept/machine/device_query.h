// SPDX-License-Identifier: Apache-2.0
// A real device's raw answers as values.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

#include "intercept/backend/port/port.h"

namespace skmd::icd {

/// Empty if the driver does not know the query or answers in another size.
template <class T>
std::optional<T> query(const Device& device, cl_device_info name) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto answer = device.info(name);
  if (!answer || answer->size() != sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, answer->data(), sizeof(T));
  return value;
}

/// "" if the driver does not know the query.
inline std::string query_text(const Device& device, cl_device_info name) {
  const auto answer = device.info(name);
  if (!answer || answer->empty()) return {};
  const auto* text = reinterpret_cast<const char*>(answer->data());
  return std::string(text, strnlen(text, answer->size()));
}

/// True if the blank-separated list of CL_DEVICE_EXTENSIONS holds exactly this name.
inline bool has_extension(const Device& device, const std::string& name) {
  return (" " + query_text(device, CL_DEVICE_EXTENSIONS) + " ").find(" " + name + " ") != std::string::npos;
}

}  // namespace skmd::icd
