// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/few_terms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

#include "partitioner/model/fit_constants.h"
#include "partitioner/model/least_squares.h"

namespace skmd::domain {
namespace {

using namespace tuning;

using Indices = std::vector<std::size_t>;

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(part * static_cast<double>(values.size() - 1)))];
}

/// For points of about the same length of one kind of launch, the one of median speed; the faster one of two, since
/// disturbances only add time. `alike`: launches whose numbers are equal to the power of two are of one kind.
std::vector<Point> middles(const std::vector<Point>& points, double lengths, bool alike) {
  const auto number = [&](double value) { return alike ? std::round(std::log2(value + 1.0)) : value; };
  std::map<std::array<double, 6>, std::vector<const Point*>> kinds;
  for (const Point& point : points)
    kinds[{std::round(lengths * std::log2(point.groups)), number(point.launch_groups), number(point.size),
           number(point.operations), number(point.bytes), number(point.boxes)}]
        .push_back(&point);
  std::vector<Point> result;
  for (auto& [kind, some] : kinds) {
    const auto middle = some.begin() + static_cast<std::ptrdiff_t>((some.size() - 1) / 2);
    std::nth_element(some.begin(), middle, some.end(), [](const Point* x, const Point* y) {
      return std::tuple(x->seconds / x->groups, x->groups) < std::tuple(y->seconds / y->groups, y->groups);
    });
    result.push_back(**middle);
  }
  return result;
}

/// At most kMaxFitPoints.
std::vector<Point> condensed(const std::vector<Point>& points) {
  std::vector<Point> result = middles(points, kExactly, false);
  for (double lengths = kFinest; result.size() > kMaxFitPoints && lengths >= 1.0; lengths /= 2)
    result = middles(points, lengths, false);
  if (result.size() > kMaxFitPoints) result = middles(points, 1.0, true);
  if (result.size() <= kMaxFitPoints) return result;
  std::stable_sort(result.begin(), result.end(), [](const Point& x, const Point& y) { return x.seconds < y.seconds; });
  std::vector<Point> some;
  for (std::size_t i = 0; i < kMaxFitPoints; ++i) some.push_back(result[i * (result.size() - 1) / (kMaxFitPoints - 1)]);
  return some;
}

/// Points as rows, terms as columns. Fits and errors of parts of both.
class Table {
 public:
  Table(const std::vector<Point>& points, const std::vector<Term>& terms)
      : values_{points.size(), terms.size(), std::vector<double>(points.size() * terms.size())},
        nearness_(points.size()),
        trust_(points.size(), 1.0) {
    double largest = 0.0, longest = 0.0;
    for (const Point& point : points) {
      largest = std::max(largest, point.launch_groups);
      longest = std::max(longest, point.seconds);
    }
    for (std::size_t row = 0; row < points.size(); ++row) {
      const Point& point = points[row];
      const double smaller = point.launch_groups > 0 ? std::log2(largest / point.launch_groups) : 0.0;
      nearness_[row] = std::pow(kNearerWeight, smaller) * std::pow(point.seconds / longest, kLongerPower);
      for (std::size_t column = 0; column < terms.size(); ++column)
        values_.at(row, column) = value_of(terms[column], point) / point.seconds;
    }
  }

  /// A coefficient for each column; 0 elsewhere.
  [[nodiscard]] std::vector<double> fit(const Indices& rows, const Indices& columns) const {
    Matrix a{rows.size(), columns.size(), {}};
    a.values.reserve(rows.size() * columns.size());
    std::vector<double> y;
    for (const std::size_t row : rows) {
      const double weight = nearness_[row] * std::sqrt(trust_[row]);
      y.push_back(weight);
      for (const std::size_t column : columns) a.values.push_back(weight * value(row, column));
    }
    const std::vector<double> x = nonnegative_least_squares(a, y);
    std::vector<double> all(values_.columns, 0.0);
    for (std::size_t i = 0; i < columns.size(); ++i) all[columns[i]] = x[i];
    return all;
  }

  [[nodiscard]] double error(std::size_t row, const std::vector<double>& coefficients) const {
    return std::abs(ratio(row, coefficients) - 1.0);
  }
  [[nodiscard]] std::vector<double> errors(const Indices& rows, const std::vector<double>& coefficients) const {
    std::vector<double> errors;
    for (const std::size_t row : rows) errors.push_back(error(row, coefficients));
    return errors;
  }
  [[nodiscard]] double mean_error(const Indices& rows, const std::vector<double>& coefficients) const {
    double sum = 0.0, weights = 0.0;
    for (const std::size_t row : rows) {
      sum += trust_[row] * error(row, coefficients);
      weights += trust_[row];
    }
    return weights > 0 ? sum / weights : 0.0;
  }

  /// Weights by the distance of each point from the fit.
  void reweigh(const Indices& rows, const std::vector<double>& coefficients) {
    std::vector<double> distances;
    for (const std::size_t row : rows) distances.push_back(distance(row, coefficients));
    const double typical = std::max(kLeastDistance, quantile(distances, 0.5));
    for (std::size_t i = 0; i < rows.size(); ++i)
      trust_[rows[i]] = std::min(1.0, kOutlier * typical / std::max(distances[i], kLeastDistance));
  }

 private:
  /// Of a point's predicted time and its own.
  [[nodiscard]] double ratio(std::size_t row, const std::vector<double>& coefficients) const {
    double sum = 0.0;
    for (std::size_t column = 0; column < coefficients.size(); ++column)
      if (coefficients[column] > 0) sum += coefficients[column] * value(row, column);
    return std::isfinite(sum) ? sum : 0.0;
  }
  /// The same whether it is slower or faster by a factor.
  [[nodiscard]] double distance(std::size_t row, const std::vector<double>& coefficients) const {
    return std::abs(std::log(std::max(ratio(row, coefficients), kLeastRatio)));
  }
  [[nodiscard]] double value(std::size_t row, std::size_t column) const {
    return values_.values[row * values_.columns + column];
  }
  Matrix values_;                 // of terms, over the point's time
  std::vector<double> nearness_;  // weights of points: higher for longer spans of larger launches
  std::vector<double> trust_;     // weights of points: lower off the other points' fit
};

double work_of_launch(const Point& point) {
  return point.launch_groups * std::max({point.operations, point.bytes, 1.0});
}

/// The longest points are held out: predictions go from what was measured to larger launches.
struct Split {
  Indices train, test, all;
};

Split hold_out(const std::vector<Point>& points) {
  Split split;
  split.all.resize(points.size());
  std::iota(split.all.begin(), split.all.end(), 0);
  Indices sorted = split.all;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::size_t x, std::size_t y) { return points[x].seconds < points[y].seconds; });
  const std::size_t held = std::min(points.size(), std::max(kLeastHeldOut, points.size() / kHeldOut));
  const auto cut = sorted.end() - static_cast<std::ptrdiff_t>(held);
  split.train.assign(sorted.begin(), cut);
  split.test.assign(cut, sorted.end());
  return split;
}

/// The largest launch, where there are others: its spans that are not much shorter than the longest.
Split hold_out_launch(const std::vector<Point>& points) {
  double largest = 0.0, longest = 0.0;
  for (const Point& point : points) {
    largest = std::max(largest, work_of_launch(point));
    longest = std::max(longest, point.seconds);
  }
  Split split;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (work_of_launch(points[i]) < largest)
      split.train.push_back(i);
    else if (points[i].seconds >= kMuchShorter * longest)
      split.test.push_back(i);
  return split;
}

/// Of the split's held-out points, and of all: a model with too few terms misses the latter.
double error_with(const Table& table, const Split& split, const Indices& terms) {
  return table.mean_error(split.test, table.fit(split.train, terms)) +
         table.mean_error(split.all, table.fit(split.all, terms));
}

/// Leaves terms out one by one while the error stays about the same.
Indices fewer(const Table& table, const Split& split, Indices terms) {
  double best = error_with(table, split, terms);
  while (terms.size() > 1) {
    std::size_t worst = terms.size();
    double least = best * (1.0 + kTermLoss);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      Indices without = terms;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      const double error = error_with(table, split, without);
      if (error > least) continue;
      worst = i;
      least = error;
    }
    if (worst == terms.size()) break;
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(worst));
    best = std::min(best, least);
  }
  return terms;
}

Indices above_zero(const std::vector<double>& coefficients) {
  Indices columns;
  for (std::size_t column = 0; column < coefficients.size(); ++column)
    if (coefficients[column] > 0) columns.push_back(column);
  return columns;
}

std::vector<FittedTerm> fitted(const std::vector<Term>& terms, const std::vector<double>& coefficients) {
  std::vector<FittedTerm> result;
  for (const std::size_t column : above_zero(coefficients)) result.push_back({terms[column], coefficients[column]});
  return result;
}

/// Of single measurements that are not much shorter than the longest.
double spread(const std::vector<FittedTerm>& terms, const std::vector<Point>& points) {
  double longest = 0.0;
  for (const Point& point : points) longest = std::max(longest, point.seconds);
  std::vector<double> errors;
  for (const Point& point : points)
    if (point.seconds >= kMuchShorter * longest)
      errors.push_back(std::abs(sum_of(terms, point) - point.seconds) / point.seconds);
  return quantile(std::move(errors), kCovered);
}

}  // namespace

FewTerms fit_few_terms(const std::vector<Point>& given, std::uint32_t units) {
  const std::vector<Point> points = condensed(given);
  const std::vector<Term> candidates = candidate_terms(points, units);
  Table table(points, candidates);
  const Split split = hold_out(points);
  Indices all(candidates.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> coefficients = table.fit(split.all, all);
  if (points.size() < kLeastToTest) return {fitted(candidates, coefficients), kErrorWithoutTest};
  for (int i = 0; i < kReweighings; ++i) {
    table.reweigh(split.all, coefficients);
    coefficients = table.fit(split.all, all);
  }
  const Indices few = fewer(table, split, above_zero(coefficients));
  if (const auto again = table.fit(split.all, few); !above_zero(again).empty()) coefficients = again;
  FewTerms result{fitted(candidates, coefficients), 0.0};
  const double held_out = quantile(table.errors(split.test, table.fit(split.train, few)), kCovered);
  const Split launch = hold_out_launch(points);
  const double other_launch =
      launch.train.size() < kLeastToTest ? 0.0 : quantile(table.errors(launch.test, table.fit(launch.train, few)), 0.5);
  // The spread of single spans and the held-out error are independent, so they add in squares.
  result.error = std::max(kNoise, std::hypot(std::max(held_out, other_launch), spread(result.terms, given)));
  return result;
}

}  // namespace skmd::domain
