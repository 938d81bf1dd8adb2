// SPDX-License-Identifier: Apache-2.0
// A profile sample as one line of JSON: the format of files of samples, and a sample's identity.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "partitioner/base/result.h"
#include "partitioner/model/profile_sample.h"

namespace skmd::profiler {

/// The key of ProfileSample::passed_over, which is left out where that is 0.
inline constexpr const char* kPassedOver = "passed_over";

/// Without line break. Equal samples have equal lines; keys are sorted. Bytes that are no UTF-8 are replaced.
std::string line_of(const domain::ProfileSample& sample);

/// The identity of a sample: equal for equal lines.
std::string digest_of(const std::string& line);

/// An error names the key and what is wrong with it. Keys that are not known are passed over.
domain::Result<domain::ProfileSample> sample_of(std::string_view line);

/// A value for a message, 80 bytes at most. Lists and objects are only named: printing them follows how deeply they are
/// nested, and a file from elsewhere may nest more deeply than the stack is.
std::string excerpt_of(const nlohmann::json& value);

}  // namespace skmd::profiler
