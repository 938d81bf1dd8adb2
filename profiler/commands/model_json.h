// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "partitioner/model/evaluation.h"

namespace skmd::profiler {

/// {"kind","terms":[{"term","coefficient"}],"error","data_decides"} of a model fitted to the samples; null if there is
/// none to fit to.
nlohmann::json model_json(const domain::SampleGroup& group, domain::ModelKind kind, const domain::Bounds& bounds);

}  // namespace skmd::profiler
