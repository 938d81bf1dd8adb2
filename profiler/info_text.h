// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace skmd::profiler {

/// clSkmdDescribe's document as readable text. Keys that are absent are left out of the text.
std::string info_text(const nlohmann::json& document, const std::string& driver);

}  // namespace skmd::profiler
