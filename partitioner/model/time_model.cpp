// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/time_model.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "partitioner/model/few_terms.h"
#include "partitioner/model/fit_constants.h"
#include "partitioner/model/least_squares.h"

namespace skmd::domain {
namespace {

using namespace tuning;

double work_of(const Point& point) {
  const double group = point.operations > 0 ? point.operations : point.bytes > 0 ? point.bytes : 1.0;
  return point.groups * group;
}

/// The bytes of a span that come from memory at least once: accesses beyond the size of its buffers are repeated, and
/// may hit a cache.
double memory_bytes(const Point& point) {
  const double accessed = point.groups * point.bytes;
  return point.size > 0 ? std::min(accessed, point.size) : accessed;
}

/// Lower bound of the groups' seconds: by the model for bytes that fit the cache, by the memory's rate for the others.
/// Both `growing`, which it is compared with, and this rise with the groups.
double least_growing(double growing, const Bounds& bounds, const Point& point) {
  const double bytes = memory_bytes(point);
  if (!(bounds.bytes_per_second > 0) || bytes <= bounds.cache_bytes) return 0.0;
  return growing * bounds.cache_bytes / bytes + (bytes - bounds.cache_bytes) / bounds.bytes_per_second;
}

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(part * static_cast<double>(values.size() - 1)))];
}

std::vector<double> errors_of(const std::vector<FittedTerm>& terms, const std::vector<Point>& points) {
  std::vector<double> errors;
  for (const Point& point : points) errors.push_back(std::abs(sum_of(terms, point) - point.seconds) / point.seconds);
  return errors;
}

void fit_arctan(TimeModel& model, const std::vector<Point>& points, std::uint32_t units) {
  FewTerms few = fit_few_terms(points, units);
  model.terms = std::move(few.terms);
  model.error = few.error;
}

void fit_paper(TimeModel& model, const std::vector<Point>& points) {
  const std::vector<Term> terms = paper_terms(points);
  Matrix a{points.size(), terms.size(), std::vector<double>(points.size() * terms.size())};
  std::vector<double> y;
  for (std::size_t row = 0; row < points.size(); ++row) {
    y.push_back(points[row].seconds);
    for (std::size_t column = 0; column < terms.size(); ++column)
      a.at(row, column) = value_of(terms[column], points[row]);
  }
  const std::vector<double> x = minimum_norm_least_squares(a, y);
  for (std::size_t column = 0; column < terms.size(); ++column) model.terms.push_back({terms[column], x[column]});
  model.error = std::max(kNoise, quantile(errors_of(model.terms, points), kCovered));
}

void fit_rate(TimeModel& model, const std::vector<Point>& points) {
  const auto longest = std::max_element(points.begin(), points.end(),
                                        [](const Point& x, const Point& y) { return x.groups < y.groups; });
  model.terms = {{{TermShape::groups}, longest->seconds / longest->groups}};
  model.error = std::max(kNoise, quantile(errors_of(model.terms, points), kCovered));
}

bool usable(const Point& point) {
  const auto fine = [](double value) { return std::isfinite(value) && value >= 0; };
  return fine(point.groups) && point.groups > 0 && fine(point.seconds) && point.seconds > 0 && fine(point.boxes) &&
         fine(point.operations) && fine(point.bytes) && fine(point.size) && fine(point.launch_groups) &&
         std::all_of(point.parameters.begin(), point.parameters.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

Result<ModelKind> parse_model_kind(std::string_view text) {
  for (const ModelKind kind : {ModelKind::arctan, ModelKind::paper, ModelKind::rate})
    if (text == name_of(kind)) return kind;
  return Error{0, "the model \"" + std::string(text) + "\" does not exist; the models are arctan, paper and rate"};
}

std::string_view name_of(ModelKind kind) {
  switch (kind) {
    case ModelKind::arctan:
      return "arctan";
    case ModelKind::paper:
      return "paper";
    case ModelKind::rate:
      return "rate";
  }
  return "";
}

/// True if a term depends on work that the point lacks; the point then gets that of the largest fitted point.
bool fill_in(const TimeModel& model, Point& point) {
  bool unknown = false;
  for (const FittedTerm& fitted : model.terms) {
    unknown = unknown || (fitted.term.work == Work::operations && point.operations <= 0);
    unknown = unknown || (fitted.term.work == Work::bytes && point.bytes <= 0);
  }
  if (unknown && point.operations <= 0) point.operations = model.operations;
  if (unknown && point.bytes <= 0) point.bytes = model.bytes;
  return unknown;
}

/// The paper's form may predict zero or negative times.
double least_of(ModelKind kind) { return kind == ModelKind::paper ? 0.0 : kLeastSeconds; }

TimePrediction predict(const TimeModel& model, const Point& asked) {
  Point point = asked;
  const bool unknown = fill_in(model, point);
  const Parts parts = parts_of(model.terms, point);
  const double least = least_growing(parts.growing, model.bounds, point);
  const double seconds = std::max(parts.fixed + std::max(parts.growing, least), least_of(model.kind));
  const double work = work_of(point);
  double distance = 0.0;
  if (work > model.largest_work && model.largest_work > 0) distance = std::log2(work / model.largest_work);
  if (work < model.smallest_work && work > 0) distance = std::log2(model.smallest_work / work);
  double known = model.error;
  if (least > parts.growing) known = std::max(known, kErrorOfBound);
  if (unknown) known = std::max(known, kErrorOfUnknownWork);
  const double error = known * std::min(kMaxBandGrowth, 1.0 + kBandPerPowerOfTwo * distance);
  return {seconds, seconds / (1.0 + error), seconds * (1.0 + error)};
}

/// Bytes are counted at each access. Spans faster than the bound had some bytes in a cache, so the bound does not hold
/// for this kernel; their rate replaces it.
void raise_bound(TimeModel& model, const std::vector<Point>& points) {
  Bounds& bounds = model.bounds;
  if (!(bounds.bytes_per_second > 0)) return;
  for (const Point& point : points) {
    const double bytes = memory_bytes(point), growing = parts_of(model.terms, point).growing;
    if (bytes > bounds.cache_bytes && growing > 0)
      bounds.bytes_per_second = std::max(bounds.bytes_per_second, bytes / growing);
  }
}

Result<TimeModel> fit(const std::vector<Point>& given, const FitOptions& options) {
  std::vector<Point> points;
  std::copy_if(given.begin(), given.end(), std::back_inserter(points), usable);
  if (points.empty()) return Error{0, "none of " + std::to_string(given.size()) + " samples can be fitted to"};
  TimeModel model;
  model.kind = options.kind;
  model.bounds = options.bounds;
  model.data_decides = std::any_of(points.begin(), points.end(), [](const Point& point) { return point.data_decides; });
  model.smallest_work = work_of(points.front());
  for (const Point& point : points) {
    if (work_of(point) >= model.largest_work) {
      model.largest_work = work_of(point);
      model.operations = point.operations;
      model.bytes = point.bytes;
    }
    model.smallest_work = std::min(model.smallest_work, work_of(point));
  }
  if (options.kind == ModelKind::arctan) fit_arctan(model, points, options.units);
  if (options.kind == ModelKind::paper) fit_paper(model, points);
  if (options.kind == ModelKind::rate) fit_rate(model, points);
  raise_bound(model, points);
  if (model.data_decides) model.error = std::max(model.error, kErrorOfData);
  return model;
}

}  // namespace skmd::domain
