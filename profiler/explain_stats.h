// SPDX-License-Identifier: Apache-2.0
// A statistics file (SKMD_STATS) in words: which device ran what, what merging took, why launches stayed whole and what
// may be done about it, and where a verification found differences.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "partitioner/base/result.h"
#include "partitioner/merge/merge.h"

namespace skmd::profiler {

/// An error names what is missing or of the wrong kind: the file is damaged, or none of ours.
domain::Result<std::string> explain_stats(const nlohmann::json& document);

/// Why, and what the user may do about it.
std::string sentence_for(domain::NotSplit reason);
std::string sentence_for(domain::Rung rung);

}  // namespace skmd::profiler
