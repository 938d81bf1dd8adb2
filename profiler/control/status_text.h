// SPDX-License-Identifier: Apache-2.0
// A process's answers, for people. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace skmd::profiler {

/// What was done, in lines. `words`: what was asked. Precondition: the answer's "ok" is true.
std::string text_of_answer(const std::vector<std::string>& words, const nlohmann::json& answer);

/// Why it was not done, with the nearest name where one was not known.
std::string text_of_refusal(const nlohmann::json& answer);

}  // namespace skmd::profiler
