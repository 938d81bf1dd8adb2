// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/terms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "partitioner/model/fit_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

double work_of(const Term& term, const Point& point) {
  double work = 1.0;
  switch (term.work) {
    case Work::one:
      return 1.0;
    case Work::operations:
      work = point.operations;
      break;
    case Work::bytes:
      work = point.bytes;
      break;
    case Work::size:
      work = point.size;
      break;
    case Work::parameter:
      work = term.parameter < point.parameters.size() ? point.parameters[term.parameter] : 0.0;
      break;
  }
  return term.power == 1.0 ? work : std::pow(std::abs(work), term.power);
}

void add_rates(std::vector<Term>& terms, Work work, double power, std::uint32_t units) {
  for (const double groups : kAtOnce)
    for (const TermShape shape : {TermShape::waves, TermShape::stairs})
      terms.push_back({shape, work, 0, power, 0.0, groups * std::max(1u, units)});
  terms.push_back({TermShape::groups, work, 0, power});
}

struct Timed {
  double work = 0.0, seconds = 0.0;
};

/// The work at which times jump most; 0 if they do not. `points` sorted by work.
double jump_of(const std::vector<Timed>& points) {
  const auto middle = [&](std::size_t first) {
    std::array<double, kJumpSide> some{};
    for (std::size_t i = 0; i < kJumpSide; ++i) some[i] = points[first + i].seconds;
    std::sort(some.begin(), some.end());
    return some[kJumpSide / 2];
  };
  double most = kJump, place = 0.0;
  for (std::size_t i = kJumpSide; i + kJumpSide <= points.size(); ++i) {
    const double grown = points[i + kJumpSide / 2].work / points[i - kJumpSide + kJumpSide / 2].work;
    const double jump = middle(i) / middle(i - kJumpSide) / grown;
    if (points[i].work <= points[i - 1].work || jump <= most) continue;
    most = jump;
    place = std::sqrt(points[i].work * points[i - 1].work);
  }
  return place;
}

/// Processors begin a launch on one unit; others help when it takes long, and it takes long until all of them do.
void add_help(std::vector<Term>& terms, const std::vector<Point>& points, Work work) {
  const Term whole{TermShape::groups, work};
  std::vector<Timed> timed;
  for (const Point& point : points) timed.push_back({value_of(whole, point), point.seconds});
  std::sort(timed.begin(), timed.end(),
            [](const Timed& x, const Timed& y) { return std::pair(x.work, x.seconds) < std::pair(y.work, y.seconds); });
  if (timed.empty() || timed.front().work <= 0) return;
  const double jump = jump_of(timed);
  const double first = jump > 0 ? jump : kFirstPiece * timed.front().work;
  double b = first;
  for (int i = 0; i == 0 || (i < kMaxPieces && b * kBeyondPieces < timed.back().work); ++i, b *= kNextPiece)
    terms.push_back({TermShape::alone, work, 0, 1.0, 0.0, b});
  if (jump > 0) terms.push_back({TermShape::help, work, 0, 1.0, 0.0, jump});
}

/// A bend near the end of the measured range, or beyond it, was not measured: such curves are no candidates.
void add_work(std::vector<Term>& terms, Work work, double power, std::uint32_t units, double most_groups) {
  add_rates(terms, work, power, units);
  for (const double bend : kBends)
    for (const double sharpness : kSharpness) {
      const double b = bend * std::max(1u, units);
      if (b * kBeyondBend > most_groups) continue;
      terms.push_back({TermShape::saturating, work, 0, power, sharpness / b, b});
    }
}

const char* name_of(Work work) {
  switch (work) {
    case Work::one:
      return "1";
    case Work::operations:
      return "operations";
    case Work::bytes:
      return "bytes";
    case Work::size:
      return "size";
    case Work::parameter:
      return "parameter";
  }
  return "";
}

}  // namespace

double saturation(double x, double a, double b) { return std::atan(a * (x - b)) / std::numbers::pi + 0.5; }

double value_of(const Term& term, const Point& point) {
  switch (term.shape) {
    case TermShape::floor:
      return 1.0;
    case TermShape::boxes:
      return point.boxes;
    case TermShape::linear:
      return work_of(term, point);
    case TermShape::waves:
      return std::max(std::max(1.0, point.boxes), point.groups / term.b) * work_of(term, point);
    case TermShape::stairs:
      return std::max(1.0, point.boxes) * std::ceil(point.groups / (std::max(1.0, point.boxes) * term.b)) *
             work_of(term, point);
    case TermShape::alone:
      return std::min(point.groups * work_of(term, point), term.b);
    case TermShape::help:
      return point.groups * work_of(term, point) >= term.b ? 1.0 : 0.0;
    case TermShape::groups:
      return point.groups * work_of(term, point);
    case TermShape::saturating:
      return point.groups * saturation(point.groups, term.a, term.b) * work_of(term, point);
  }
  return 0.0;
}

Parts parts_of(const std::vector<FittedTerm>& terms, const Point& point) {
  Parts parts;
  for (const FittedTerm& fitted : terms) {
    const double seconds = fitted.coefficient * value_of(fitted.term, point);
    const TermShape shape = fitted.term.shape;
    const bool fixed = shape == TermShape::floor || shape == TermShape::boxes;
    if (std::isfinite(seconds)) (fixed ? parts.fixed : parts.growing) += seconds;
  }
  return parts;
}

double sum_of(const std::vector<FittedTerm>& terms, const Point& point) {
  const Parts parts = parts_of(terms, point);
  return parts.fixed + parts.growing;
}

std::string name_of(const Term& term) {
  if (term.shape == TermShape::floor) return "1";
  if (term.shape == TermShape::boxes) return "boxes";
  std::string name;
  const std::string at_once = "(" + std::to_string(std::llround(term.b)) + ") * ";
  if (term.shape == TermShape::waves) name = "waves" + at_once;
  if (term.shape == TermShape::stairs) name = "stairs" + at_once;
  if (term.shape == TermShape::groups || term.shape == TermShape::saturating) name = "groups * ";
  if (term.shape == TermShape::alone || term.shape == TermShape::help) {
    std::array<char, 64> limit{};
    std::snprintf(limit.data(), limit.size(),
                  term.shape == TermShape::alone ? "min(%.3g, groups * " : "(%.3g <= groups * ", term.b);
    return limit.data() + std::string(name_of(term.work)) + ")";
  }
  name += name_of(term.work);
  if (term.work == Work::parameter) name += std::to_string(term.parameter);
  std::array<char, 64> text{};
  if (term.power != 1.0) {
    std::snprintf(text.data(), text.size(), "^%g", term.power);
    name += text.data();
  }
  if (term.shape != TermShape::saturating) return name;
  std::snprintf(text.data(), text.size(), " * g(a=%.3g, b=%.4g)", term.a, term.b);
  return name + text.data();
}

std::vector<Term> candidate_terms(const std::vector<Point>& points, std::uint32_t units) {
  const auto every = [&](double Point::*field) {
    return std::all_of(points.begin(), points.end(), [&](const Point& point) { return point.*field > 0; });
  };
  double most = 0.0;
  for (const Point& point : points) most = std::max(most, point.groups);
  std::vector<Term> terms;
  const bool operations = every(&Point::operations), bytes = every(&Point::bytes);
  const bool data_decides =
      std::any_of(points.begin(), points.end(), [](const Point& point) { return point.data_decides; });
  if (data_decides) add_rates(terms, operations ? Work::operations : Work::one, 1.0, units);
  if (operations && !data_decides) add_work(terms, Work::operations, 1.0, units, most);
  if (bytes && !data_decides) add_work(terms, Work::bytes, 1.0, units, most);
  if (!operations && !bytes && !data_decides) {
    for (const double power : kSizePowers)
      if (power == 0.0)
        add_work(terms, Work::one, 1.0, units, most);
      else if (every(&Point::size))
        add_work(terms, Work::size, power, units, most);
  }
  if (!data_decides) add_help(terms, points, operations ? Work::operations : bytes ? Work::bytes : Work::one);
  // Last: samples that are all equal mean that the device was not filled, not that groups cost nothing.
  terms.push_back({TermShape::floor});
  terms.push_back({TermShape::boxes});
  return terms;
}

std::vector<Term> paper_terms(const std::vector<Point>& points) {
  std::size_t parameters = 0;
  for (const Point& point : points) parameters = std::max(parameters, point.parameters.size());
  std::vector<Term> terms{{TermShape::floor}, {TermShape::groups, Work::one}};
  for (std::uint32_t j = 0; j < parameters; ++j) {
    terms.push_back({TermShape::linear, Work::parameter, j});
    for (const double power : kPaperPowers)
      for (const PaperBend& bend : kPaperBends)
        terms.push_back({TermShape::saturating, Work::parameter, j, power, bend.a, bend.b});
  }
  return terms;
}

}  // namespace skmd::domain
