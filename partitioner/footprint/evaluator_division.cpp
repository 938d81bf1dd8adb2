// SPDX-License-Identifier: Apache-2.0
// Division of affine forms by constants: what is divisible stays affine, the rest becomes a quotient and a remainder
// variable that know of each other.
#include <algorithm>
#include <numeric>

#include "partitioner/footprint/evaluator.h"

namespace skmd::domain {
namespace {

Wide magnitude(Wide value) { return value < 0 ? -value : value; }

Wide gcd(Wide a, Wide b) {
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return magnitude(a);
}

/// form = divisor·multiple + rest, with small factors in `rest` and, without slack, its constant in [0, divisor).
void split(const Form& form, Wide divisor, Form& multiple, Form& rest) {
  multiple = point(0);
  rest = point(0);
  for (const Term& term : form) {
    Wide quotient = term.factor / divisor;
    if (term.factor % divisor != 0 && magnitude(term.factor) < divisor) quotient = 0;
    const Wide left = term.factor - quotient * divisor;
    if (quotient != 0) multiple.push(term.var, static_cast<std::int64_t>(quotient));
    if (left != 0) rest.push(term.var, static_cast<std::int64_t>(left));
  }
  const Wide turns = floor_div(form.lo, divisor);
  multiple.lo = multiple.hi = turns;
  rest.lo = form.lo - turns * divisor;
  rest.hi = form.hi - turns * divisor;
}

/// Divides factors and constant of a form without slack by what all factors and `divisor` have in common; returns the
/// common divisor, `left` is what the constant had above a multiple of it.
Wide simplify(Form& rest, Wide& divisor, Wide& left) {
  Wide common = divisor;
  for (const Term& term : rest) common = gcd(common, term.factor);
  left = rest.lo % common;
  for (unsigned i = 0; i < rest.count; ++i) rest.terms[i].factor /= static_cast<std::int64_t>(common);
  rest.lo = rest.hi = rest.lo / common;
  divisor /= common;
  return common;
}

}  // namespace

/// The quotient variable of source / divisor; its remainder is the next one. Asked again, the same.
Var Evaluator::division(const Form& source, Wide divisor, const Interval& values) {
  for (std::size_t i = 0; i < derived_.size(); ++i) {
    const Derived& known = derived_[i];
    if (known.kind == Derived::Kind::quotient && known.divisor == divisor && known.source == source) {
      return first_derived() + static_cast<Var>(i);
    }
  }
  const Interval quotients{floor_div(values.lo, divisor), floor_div(values.hi, divisor)};
  derived_.push_back({Derived::Kind::quotient, divisor, source, quotients});
  derived_.push_back({Derived::Kind::remainder, divisor, source, {0, divisor - 1}});
  return first_derived() + static_cast<Var>(derived_.size() - 2);
}

/// floor(a / divisor) over the integers.
Form Evaluator::quotient(const Form& a, Wide divisor, unsigned bits) {
  if (divisor == 1) return a;
  Form multiple;
  Form rest;
  split(a, divisor, multiple, rest);
  const Interval values = range(rest);
  const Interval quotients{floor_div(values.lo, divisor), floor_div(values.hi, divisor)};
  if (quotients.is_point() || !rest.slack_free()) {
    Form slack = anything(quotients);
    reduce(slack, bits);
    return add(multiple, 1, slack, 1, bits);
  }
  Wide left = 0;
  simplify(rest, divisor, left);
  Form variable = point(0);
  variable.push(division(rest, divisor, range(rest)), 1);
  return add(multiple, 1, variable, 1, bits);
}

/// a - divisor·floor(a / divisor) over the integers.
Form Evaluator::remainder(const Form& a, Wide divisor, unsigned bits) {
  if (divisor == 1) return point(0);
  Form multiple;
  Form rest;
  split(a, divisor, multiple, rest);
  const Interval values = range(rest);
  const Wide turns = floor_div(values.lo, divisor);
  if (turns == floor_div(values.hi, divisor)) {
    rest.lo -= turns * divisor;
    rest.hi -= turns * divisor;
    reduce(rest, bits);
    return rest;
  }
  if (!rest.slack_free()) return fresh({0, divisor - 1}, false, bits);
  Wide left = 0;
  const Wide common = simplify(rest, divisor, left);
  Form variable = point(left);
  variable.push(division(rest, divisor, range(rest)) + 1, static_cast<std::int64_t>(common));
  reduce(variable, bits);
  return variable;
}

Form Evaluator::divide(const Node& node, bool rest, bool is_signed) {
  const unsigned bits = node.bits;
  Form a = values_[node.a];
  Form b = values_[node.b];
  const bool repeatable = a.slack_free() && b.slack_free();
  Interval va;
  Interval vb;
  canonicalise(a, bits, is_signed, va);
  canonicalise(b, bits, is_signed, vb);
  if (vb.lo <= 0 && vb.hi >= 0) return unknown(bits);  // division by zero: anything may follow
  if (is_signed && vb.is_point()) return divide_signed(a, va, vb.lo, rest, bits);
  if (vb.is_point()) return rest ? remainder(a, vb.lo, bits) : quotient(a, vb.lo, bits);
  const Wide largest = std::max(magnitude(va.lo), magnitude(va.hi));
  if (rest) {
    if (va.lo >= 0 && vb.lo > va.hi) return a;
    const Wide limit = std::min(largest, std::max(magnitude(vb.lo), magnitude(vb.hi)) - 1);
    return fresh({va.lo >= 0 ? Wide{0} : -limit, va.hi <= 0 ? Wide{0} : limit}, repeatable, bits);
  }
  if (va.lo >= 0 && vb.lo > 0) return fresh({va.lo / vb.hi, va.hi / vb.lo}, repeatable, bits);
  return fresh({-largest, largest}, repeatable, bits);
}

/// Rounds towards zero; the remainder has the dividend's sign.
Form Evaluator::divide_signed(Form a, const Interval& va, Wide divisor, bool rest, unsigned bits) {
  const bool repeatable = a.slack_free();
  const Wide size = magnitude(divisor);
  const bool negative_quotient = divisor < 0;
  if (va.lo < 0 && va.hi > 0) {
    const Interval values =
        rest ? Interval{std::max(va.lo, -(size - 1)), std::min(va.hi, size - 1)} : Interval{va.lo / size, va.hi / size};
    Form result = fresh(values, repeatable, bits);
    return !rest && negative_quotient ? add(point(0), 1, result, -1, bits) : result;
  }
  const bool negative_dividend = va.lo < 0;
  if (negative_dividend && combine(point(0), 1, Form(a), -1, 0, a) != Fit::fits) return unknown(bits);
  const Form result = rest ? remainder(a, size, bits) : quotient(a, size, bits);
  const bool negate = rest ? negative_dividend : negative_dividend != negative_quotient;
  return negate ? add(point(0), 1, result, -1, bits) : result;
}

}  // namespace skmd::domain
