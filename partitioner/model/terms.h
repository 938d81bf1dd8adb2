// SPDX-License-Identifier: Apache-2.0
// The terms that make up a predicted time: SKMD (TOCS 2015), section 3.3, equations 1 to 4; the term of equation 4 is
// x·g(x; a, b)·h for a span of x groups.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skmd::domain {

/// A span to be predicted, or one that was timed.
struct Point {
  double groups = 0.0;      // of the span, > 0
  double boxes = 1.0;       // native launches that it is cut into
  double operations = 0.0;  // of a group; 0: not known
  double bytes = 0.0;       // that a group reads and writes; 0: not known
  double size = 0.0;        // of the whole launch: bytes of its buffers, or groups without any
  double launch_groups = 0.0;
  std::vector<double> parameters;  // the paper's x_j: bytes of buffers, scalars, extents
  bool data_decides = false;       // how long a group works (GroupWork::data_decides); the work is a limit at best
  double seconds = 0.0;            // measured; 0 in questions
};

/// What of a group a term is proportional to: h of equation 4.
enum class Work : std::uint8_t { one, operations, bytes, size, parameter };

enum class TermShape : std::uint8_t {
  floor,       // 1
  boxes,       // number of boxes
  waves,       // h·max(n, x/b) for n boxes: b groups run at once, and take as long as one; boxes run one by one
  stairs,      // h·n·ceil(x/(n·b)): so they do, and the next b begin when all have ended
  alone,       // min(x·h, b): one unit begins, and has done so much before others help
  help,        // 1 from x·h >= b on: what asking them costs
  groups,      // x·h
  saturating,  // x·g(x; a, b)·h
  linear,      // h, of the paper's equation 1
};

struct Term {
  TermShape shape = TermShape::floor;
  Work work = Work::one;
  std::uint32_t parameter = 0;  // of Work::parameter
  double power = 1.0;           // of h
  double a = 0.0, b = 0.0;      // of g
  bool operator==(const Term&) const = default;
};

struct FittedTerm {
  Term term;
  double coefficient = 0.0;  // seconds per unit of the term
};

/// Equation 3: between 0 and 1, rising with x for a > 0.
double saturation(double x, double a, double b);

/// Finite and not negative for points whose fields are; without unit.
double value_of(const Term& term, const Point& point);

struct Parts {
  double fixed = 0.0;    // of the launch and its boxes; seconds
  double growing = 0.0;  // with the groups; seconds
};
/// Sums of coefficient times term; terms that are not finite are left out.
Parts parts_of(const std::vector<FittedTerm>& terms, const Point& point);
double sum_of(const std::vector<FittedTerm>& terms, const Point& point);

/// Readable form: "groups * bytes * g(a=0.1, b=264)".
std::string name_of(const Term& term);

/// Candidates for the model with few terms: all rise with the groups. `units`: compute units of the device. A kind of
/// work is used if it is known for every point; powers of the size only if neither operations nor bytes are. Where data
/// decides how long groups work, only rates are candidates: no curves, and one kind of work.
std::vector<Term> candidate_terms(const std::vector<Point>& points, std::uint32_t units);

/// The paper's columns: equation 1's, and equation 4's for each parameter, power and (a, b).
std::vector<Term> paper_terms(const std::vector<Point>& points);

}  // namespace skmd::domain
