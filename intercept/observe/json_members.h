// SPDX-License-Identifier: Apache-2.0
// Members of JSON objects that are put together as text.
#pragma once

#include <string>
#include <string_view>

#include "intercept/observe/json_text.h"

namespace skmd::icd {

/// Appends "key":value to an object whose last brace or value `out` ends in.
template <class Number>
void append_member(std::string& out, std::string_view key, Number value) {
  if (out.back() != '{') out += ',';
  append_json_string(out, key);
  out += ':';
  append_json(out, value);
}

inline void append_text_member(std::string& out, std::string_view key, std::string_view value) {
  if (out.back() != '{') out += ',';
  append_json_string(out, key);
  out += ':';
  append_json_string(out, value);
}

}  // namespace skmd::icd
