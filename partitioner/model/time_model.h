// SPDX-License-Identifier: Apache-2.0
// The time of a span of a kernel's groups on a device, fitted to timed spans. SKMD (TOCS 2015), section 3.3, with
// changes for extrapolation beyond the profile: non-negative coefficients, relative errors, few terms. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "partitioner/base/result.h"
#include "partitioner/model/terms.h"

namespace skmd::domain {

enum class ModelKind : std::uint8_t {
  arctan,  // few terms, coefficients >= 0, relative error, chosen on larger spans held out
  paper,   // plain least squares over all of the paper's columns, minimum norm
  rate,    // groups per second of the longest span, through the origin
};

/// "arctan", "paper" or "rate"; an error that names the value for anything else.
Result<ModelKind> parse_model_kind(std::string_view text);
std::string_view name_of(ModelKind kind);

/// Limits from calibration for the time of a span's groups, without the launch's own cost; 0: not calibrated. A timed
/// span that was faster overrides them: some of its bytes were in a cache.
struct Bounds {
  double bytes_per_second = 0.0;  // of the device's memory, beyond its caches
  double cache_bytes = 0.0;       // so many of a span's bytes may be faster
};

struct FitOptions {
  ModelKind kind = ModelKind::arctan;
  std::uint32_t units = 1;  // compute units of the device
  Bounds bounds;
};

struct TimePrediction {
  double seconds = 0.0;
  double low = 0.0, high = 0.0;  // with a probability of 80 % the measured time is between these
};

struct TimeModel {
  ModelKind kind = ModelKind::arctan;
  std::vector<FittedTerm> terms;
  bool data_decides = false;  // how long groups work, at one of the points at least: a rate with a wide band
  double error = 0.0;         // relative; 80 % of held-out spans are within it
  double largest_work = 0.0;  // of the spans fitted to: groups times what one of them does
  double smallest_work = 0.0;
  double operations = 0.0, bytes = 0.0;  // of a group of the largest of them
  Bounds bounds;
};

/// A point of unknown work is taken to do as much per group as the largest point of the fit, with a wide band. Seconds
/// >= 0, finite; `arctan` and `rate` rise with the groups, their seconds are > 0 and their bands grow with the distance
/// from the spans that were fitted to.
TimePrediction predict(const TimeModel& model, const Point& point);

/// Fits to points with seconds > 0 and groups > 0; others are left out. An error if none is left. Deterministic.
Result<TimeModel> fit(const std::vector<Point>& points, const FitOptions& options);

}  // namespace skmd::domain
