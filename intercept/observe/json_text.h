// SPDX-License-Identifier: Apache-2.0
// The little of JSON that writing needs. Names come from applications and drivers: any bytes become valid JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skmd::icd {

/// Quoted and escaped; bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
void append_json(std::string& out, std::uint64_t value);
/// At most 24 characters; values that JSON cannot write (infinite, NaN) become 0.
void append_json(std::string& out, double value);

}  // namespace skmd::icd
