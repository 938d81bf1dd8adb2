// SPDX-License-Identifier: Apache-2.0
// Operations of index expressions on affine forms. Each keeps the promise of traits.h: the result is congruent modulo
// 2^bits to the value of the node, for every work-item and iteration.
#include <algorithm>

#include "partitioner/footprint/evaluator.h"

namespace skmd::domain {
namespace {

/// All ones up to the highest one bit of `value` (value ≥ 0).
Wide filled(Wide value) {
  Wide ones = 0;
  while (ones < value) ones = ones * 2 + 1;
  return ones;
}

Wide product_limit() { return power_of_two(62); }

/// The interval of products; unknown if it could leave 126 bits.
bool product(const Interval& a, const Interval& b, Interval& out) {
  const Wide limit = power_of_two(63) * 2;
  if (a.lo < -limit || a.hi > limit || b.lo < -product_limit() || b.hi > product_limit()) return false;
  const auto [lo, hi] = std::minmax({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
  out = {lo, hi};
  return true;
}

/// Moves the term that spreads least into the slack.
bool fold_smallest(const Evaluator& evaluator, Form& form) {
  unsigned smallest = 0;
  Wide least = -1;
  Interval moved;
  for (unsigned i = 0; i < form.count; ++i) {
    Form term = point(0);
    term.push(form.terms[i].var, form.terms[i].factor);
    const Interval values = evaluator.range(term);
    if (least >= 0 && values.hi - values.lo >= least) continue;
    least = values.hi - values.lo;
    moved = values;
    smallest = i;
  }
  if (least < 0 || least > power_of_two(64)) return false;
  std::copy(form.terms.begin() + smallest + 1, form.terms.begin() + form.count, form.terms.begin() + smallest);
  --form.count;
  form.lo += moved.lo;
  form.hi += moved.hi;
  return true;
}

}  // namespace

Form Evaluator::compute(const Node& node) {
  switch (node.op) {
    case Op::iteration:
      set_iterations(static_cast<std::uint32_t>(node.value));
      return leaf(node);
    case Op::zext:
    case Op::sext: {
      Form form = values_[node.a];
      Interval values;
      canonicalise(form, launch_.traits.nodes[node.a].bits, node.op == Op::sext, values);
      reduce(form, node.bits);
      return form;
    }
    case Op::trunc: {
      Form form = values_[node.a];
      reduce(form, node.bits);
      return form;
    }
    case Op::select: {
      const Form& condition = values_[node.a];
      if (condition.is_point()) return values_[(condition.lo & 1) != 0 ? node.b : node.c];
      return join(values_[node.b], values_[node.c], node.bits, condition.slack_free());
    }
    case Op::either:
      return join(values_[node.a], values_[node.b], node.bits, false);
    case Op::compare: {
      const Form& a = values_[node.a];
      const Form& b = values_[node.b];
      const Truth truth = compare(static_cast<Predicate>(node.dim), a, b, launch_.traits.nodes[node.a].bits);
      return condition(truth, a.slack_free() && b.slack_free());
    }
    default:
      return node.op <= Op::unknown ? leaf(node) : binary(node);
  }
}

Form Evaluator::binary(const Node& node) {
  const Form& a = values_[node.a];
  const Form& b = values_[node.b];
  const unsigned bits = node.bits;
  switch (node.op) {
    case Op::add:
      return add(a, 1, b, 1, bits);
    case Op::sub:
      return add(a, 1, b, -1, bits);
    case Op::mul:
      return multiply(a, b, bits);
    case Op::udiv:
      return divide(node, false, false);
    case Op::sdiv:
      return divide(node, false, true);
    case Op::urem:
      return divide(node, true, false);
    case Op::srem:
      return divide(node, true, true);
    case Op::bit_and:
      return bits_and(a, b, bits);
    case Op::bit_or:
      return bits_or(a, b, bits, false);
    case Op::bit_xor:
      return bits_or(a, b, bits, true);
    case Op::shl:
      return shift_left(a, b, bits);
    case Op::lshr:
      return shift_right(a, b, bits, false);
    case Op::ashr:
      return shift_right(a, b, bits, true);
    case Op::smin:
    case Op::smax:
    case Op::umin:
    case Op::umax:
      return least_or_most(node.op, a, b, bits);
    default:
      return unknown(bits);
  }
}

Form Evaluator::add(const Form& a, Wide ka, const Form& b, Wide kb, unsigned bits) {
  Form sum;
  if (combine(a, ka, b, kb, bits, sum) != Fit::fits) sum = add_folded(a, ka, b, kb, bits);
  rejoin(sum, bits);
  return sum;
}

Form Evaluator::add_folded(const Form& a, Wide ka, const Form& b, Wide kb, unsigned bits) {
  Form x = a;
  Form y = b;
  Form sum;
  while (combine(x, ka, y, kb, bits, sum) != Fit::fits) {
    if (!fold_smallest(*this, x.count >= y.count ? x : y)) return unknown(bits);
  }
  return sum;
}

/// divisor·quotient + remainder of one division is its dividend again: row·width + column, after both were computed
/// from one index.
void Evaluator::rejoin(Form& form, unsigned bits) {
  for (unsigned i = 0; i < form.count; ++i) {
    const Term rest = form.terms[i];
    if (rest.var < first_derived() || derived(rest.var).kind != Derived::Kind::remainder) continue;
    const Derived division = derived(rest.var);
    const Wide m = rest.factor;
    if (m > product_limit() / 2 || m < -product_limit() / 2 || division.divisor > product_limit()) continue;
    const Wide wanted = reduced(m * division.divisor, bits);
    if (wanted == 0 || form.factor(rest.var - 1) != wanted) continue;
    Form rests = point(0);
    rests.push(rest.var - 1, static_cast<std::int64_t>(wanted));
    rests.push(rest.var, rest.factor);
    Form without;
    Form whole;
    if (combine(form, 1, rests, -1, bits, without) != Fit::fits) continue;
    if (combine(without, 1, division.source, m, bits, whole) != Fit::fits) continue;
    form = whole;
    i = static_cast<unsigned>(-1);  // positions changed; each turn removes a division, so this ends
  }
}

Form Evaluator::multiply(const Form& a, const Form& b, unsigned bits) {
  if (!a.is_point() && b.is_point()) return multiply(b, a, bits);
  if (a.is_point()) {
    const Wide k = reduced(a.lo, bits);
    Form scaled = b;
    reduce(scaled, bits);
    const Wide width = scaled.hi - scaled.lo;
    if (k == 0) return point(0);
    if (width > 0 && width > power_of_two(bits) / (k < 0 ? -k : k)) return unknown(bits);
    scaled.lo = (k < 0 ? scaled.hi : scaled.lo);
    scaled.lo = reduced(scaled.lo, bits) * k;
    scaled.hi = scaled.lo + width * (k < 0 ? -k : k);
    for (unsigned i = 0; i < scaled.count; ++i) {
      scaled.terms[i].factor = static_cast<std::int64_t>(reduced(k * scaled.terms[i].factor, bits));
    }
    reduce(scaled, bits);
    rejoin(scaled, bits);
    return scaled;
  }
  Interval values;
  if (!product(range(a), range(b), values) && !product(range(b), range(a), values)) return unknown(bits);
  return fresh(values, a.slack_free() && b.slack_free(), bits);
}

Form Evaluator::shift_left(const Form& a, const Form& by, unsigned bits) {
  Form amount = by;
  Interval amounts;
  canonicalise(amount, bits, false, amounts);
  if (amounts.hi >= bits) return unknown(bits);
  const Interval factors{power_of_two(static_cast<unsigned>(amounts.lo)),
                         power_of_two(static_cast<unsigned>(amounts.hi))};
  if (factors.is_point()) return multiply(point(factors.lo), a, bits);
  Interval values;
  const Interval shifted = range(a);
  if (!product(shifted, factors, values) && !product(factors, shifted, values)) return unknown(bits);
  return fresh(values, a.slack_free() && by.slack_free(), bits);
}

Form Evaluator::shift_right(const Form& a, const Form& by, unsigned bits, bool is_signed) {
  Form amount = by;
  Interval amounts;
  canonicalise(amount, bits, false, amounts);
  if (amounts.hi >= bits) return unknown(bits);
  Form value = a;
  Interval values;
  canonicalise(value, bits, is_signed, values);
  const auto divisor = [](Wide exponent) { return power_of_two(static_cast<unsigned>(exponent)); };
  if (amounts.is_point()) return quotient(value, divisor(amounts.lo), bits);
  const auto [lo, hi] =
      std::minmax({floor_div(values.lo, divisor(amounts.lo)), floor_div(values.lo, divisor(amounts.hi)),
                   floor_div(values.hi, divisor(amounts.lo)), floor_div(values.hi, divisor(amounts.hi))});
  return fresh({lo, hi}, a.slack_free() && by.slack_free(), bits);
}

Form Evaluator::bits_and(const Form& a, const Form& b, unsigned bits) {
  if (b.is_point()) return and_mask(a, b.lo & (power_of_two(bits) - 1), bits);
  if (a.is_point()) return and_mask(b, a.lo & (power_of_two(bits) - 1), bits);
  Form x = a;
  Form y = b;
  Interval vx;
  Interval vy;
  canonicalise(x, bits, false, vx);
  canonicalise(y, bits, false, vy);
  return fresh({0, std::min(vx.hi, vy.hi)}, a.slack_free() && b.slack_free(), bits);
}

Form Evaluator::and_mask(const Form& a, Wide mask, unsigned bits) {
  if (a.is_point()) return point(reduced(a.lo & mask, bits));
  if (mask == 0) return point(0);
  const Wide lowest = mask & -mask;
  const Wide above = mask / lowest + 1;
  const bool one_run = (above & (above - 1)) == 0;
  if (one_run) {
    // floor(a / lowest) modulo the run's length, in place; a run that reaches the top needs no modulo.
    const Form high = lowest == 1 ? a : quotient(a, lowest, bits);
    const bool to_the_top = lowest * above == power_of_two(bits);
    return multiply(point(lowest), to_the_top ? high : remainder(high, above, bits), bits);
  }
  Form value = a;
  Interval values;
  canonicalise(value, bits, false, values);
  return fresh({0, std::min(values.hi, mask)}, a.slack_free(), bits);
}

Form Evaluator::bits_or(const Form& a, const Form& b, unsigned bits, bool exclusive) {
  if (a.is_point() && b.is_point()) return point(reduced(exclusive ? a.lo ^ b.lo : a.lo | b.lo, bits));
  Form x = a;
  Form y = b;
  Interval vx;
  Interval vy;
  canonicalise(x, bits, false, vx);
  canonicalise(y, bits, false, vy);
  // No bit in common: the sum.
  if (vy.hi < power_of_two(trailing_zeros(a)) || vx.hi < power_of_two(trailing_zeros(b))) return add(x, 1, y, 1, bits);
  const Wide ones = power_of_two(bits) - 1;
  if (b.is_point() && (b.lo & ones) == ones) return exclusive ? add(b, 1, a, -1, bits) : point(-1);
  if (a.is_point() && (a.lo & ones) == ones) return exclusive ? add(a, 1, b, -1, bits) : point(-1);
  const Wide least = exclusive ? Wide{0} : std::max(vx.lo, vy.lo);
  return fresh({least, filled(std::max(vx.hi, vy.hi))}, a.slack_free() && b.slack_free(), bits);
}

Form Evaluator::least_or_most(Op op, const Form& a, const Form& b, unsigned bits) {
  const bool is_signed = op == Op::smin || op == Op::smax;
  const bool least = op == Op::smin || op == Op::umin;
  Form x = a;
  Form y = b;
  Interval vx;
  Interval vy;
  canonicalise(x, bits, is_signed, vx);
  canonicalise(y, bits, is_signed, vy);
  // The difference may decide where the ranges overlap: end of a chunk against start of a chunk.
  Form difference;
  Interval apart{vx.lo - vy.hi, vx.hi - vy.lo};
  if (combine(x, 1, y, -1, 0, difference) == Fit::fits) apart = intersect(apart, range(difference));
  if (apart.hi <= 0) return least ? x : y;
  if (apart.lo >= 0) return least ? y : x;
  const Interval values = least ? Interval{std::min(vx.lo, vy.lo), std::min(vx.hi, vy.hi)}
                                : Interval{std::max(vx.lo, vy.lo), std::max(vx.hi, vy.hi)};
  return fresh(values, a.slack_free() && b.slack_free(), bits);
}

/// One of two values: what both have in common stays exact.
Form Evaluator::join(const Form& a, const Form& b, unsigned bits, bool repeatable) {
  repeatable = repeatable && a.slack_free() && b.slack_free();
  if (a == b && repeatable) return a;
  Form common = point(0);
  Form rest_a = anything({a.lo, a.hi});
  Form rest_b = anything({b.lo, b.hi});
  for (const Term& term : a) {
    const bool shared = b.factor(term.var) == term.factor;
    (shared ? common : rest_a).push(term.var, term.factor);
  }
  for (const Term& term : b) {
    if (a.factor(term.var) != term.factor) rest_b.push(term.var, term.factor);
  }
  const Interval values = hull(range(rest_a), range(rest_b));
  if (values.count() >= power_of_two(bits)) return unknown(bits);
  return add(common, 1, fresh(values, repeatable, bits), 1, bits);
}

Form Evaluator::condition(Truth truth, bool repeatable) {
  if (truth != Truth::maybe) return point(truth == Truth::always ? 1 : 0);
  return repeatable ? fresh({0, 1}, true, 2) : anything({0, 1});
}

/// A value of which only the interval is known. `repeatable`: it is a function of ids and iterations, so that one
/// variable stands for it wherever the node is used. What depends on memory is not: nodes may be shared by the
/// compiler.
Form Evaluator::fresh(const Interval& values, bool repeatable, unsigned bits) {
  if (values.is_point()) return point(reduced(values.lo, bits));
  if (values.count() >= power_of_two(bits)) return unknown(bits);
  Form form = anything(values);
  reduce(form, bits);
  if (!repeatable) return form;
  derived_.push_back({Derived::Kind::opaque, 1, {}, {form.lo, form.hi}});
  form = point(0);
  form.push(first_derived() + static_cast<Var>(derived_.size() - 1), 1);
  return form;
}

}  // namespace skmd::domain
