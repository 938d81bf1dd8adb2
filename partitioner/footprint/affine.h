// SPDX-License-Identifier: Apache-2.0
// Affine forms: sums of integer multiples of variables, plus an interval for what is not affine.
// A form stands for a value of `bits` bits; it is equal to that value modulo 2^bits (traits.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace skmd::domain {

__extension__ typedef __int128 Wide;

/// Closed interval; empty if hi < lo.
struct Interval {
  Wide lo = 0;
  Wide hi = 0;

  [[nodiscard]] bool empty() const { return hi < lo; }
  [[nodiscard]] bool is_point() const { return lo == hi; }
  [[nodiscard]] Wide count() const { return hi - lo + 1; }
  bool operator==(const Interval&) const = default;
};

inline Interval intersect(const Interval& a, const Interval& b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }
inline Interval hull(const Interval& a, const Interval& b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Wide floor_div(Wide a, Wide b);                                                 ///< b > 0
Wide ceil_div(Wide a, Wide b);                                                  ///< b > 0
constexpr Wide power_of_two(unsigned exponent) { return Wide{1} << exponent; }  ///< exponent < 127

/// Values of `bits` bits read as signed or unsigned numbers.
inline Interval window(unsigned bits, bool is_signed) {
  if (is_signed) return {-power_of_two(bits - 1), power_of_two(bits - 1) - 1};
  return {0, power_of_two(bits) - 1};
}

/// Variables are numbered: group ids, local ids, loops' iterations, then derived ones (evaluator.h).
using Var = std::uint32_t;
inline constexpr Var kFirstLoopVar = 6;  // behind three group ids and three local ids
constexpr Var group_var(unsigned dim) { return dim; }
constexpr Var local_var(unsigned dim) { return 3 + dim; }

struct Term {
  Var var;
  std::int64_t factor;
  bool operator==(const Term&) const = default;
};

inline constexpr unsigned kMaxTerms = 10;  // of a form; with more it is unknown

/// Σ factor·var + s, where s is some number of [slack.lo, slack.hi], possibly another one at each evaluation: two uses
/// of a form with slack need not be equal. Terms ascend by variable; no factor is 0. Trivial, so that arrays of it are
/// not cleared.
struct Form {
  unsigned count;
  Wide lo;
  Wide hi;
  std::array<Term, kMaxTerms> terms;

  [[nodiscard]] bool slack_free() const { return lo == hi; }
  [[nodiscard]] bool is_point() const { return count == 0 && lo == hi; }
  [[nodiscard]] const Term* begin() const { return terms.data(); }
  [[nodiscard]] const Term* end() const { return terms.data() + count; }
  [[nodiscard]] std::int64_t factor(Var var) const;
  /// Preconditions: count < kMaxTerms; `var` is greater than all variables in the form.
  void push(Var var, std::int64_t factor) { terms[count++] = Term{var, factor}; }
  bool operator==(const Form& other) const;
};

Form point(Wide value);
Form anything(const Interval& values);
/// Any value of `bits` bits.
Form unknown(unsigned bits);

/// The smallest number congruent to `value` modulo 2^bits in absolute value (the lower one of two).
Wide reduced(Wide value, unsigned bits);
/// Replaces factors and slack by small representatives modulo 2^bits; a slack as wide as the type makes the form
/// unknown.
void reduce(Form& form, unsigned bits);

enum class Fit : std::uint8_t { fits, too_many_terms, too_large };

/// out = a·ka + b·kb modulo 2^bits, or over the integers for bits = 0. On failure `out` is not meaningful.
Fit combine(const Form& a, Wide ka, const Form& b, Wide kb, unsigned bits, Form& out);

/// The exponent of the largest power of two that divides every value of the form (at most 63; 0 with slack).
unsigned trailing_zeros(const Form& form);

}  // namespace skmd::domain
