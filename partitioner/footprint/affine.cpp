// SPDX-License-Identifier: Apache-2.0
#include "partitioner/footprint/affine.h"

#include <algorithm>

namespace skmd::domain {

Wide floor_div(Wide a, Wide b) {
  const Wide q = a / b;
  return a % b < 0 ? q - 1 : q;
}

Wide ceil_div(Wide a, Wide b) { return -floor_div(-a, b); }

std::int64_t Form::factor(Var var) const {
  for (const Term& term : *this) {
    if (term.var == var) return term.factor;
  }
  return 0;
}

bool Form::operator==(const Form& other) const {
  return count == other.count && lo == other.lo && hi == other.hi && std::equal(begin(), end(), other.begin());
}

Form point(Wide value) { return anything({value, value}); }

Form anything(const Interval& values) {
  Form form;
  form.count = 0;
  form.lo = values.lo;
  form.hi = values.hi;
  return form;
}

Form unknown(unsigned bits) { return anything(window(bits, true)); }

Wide reduced(Wide value, unsigned bits) {
  const Interval all = window(bits, true);
  if (value >= all.lo && value <= all.hi) return value;
  const Wide low_bits = value & (power_of_two(bits) - 1);
  return low_bits > all.hi ? low_bits - power_of_two(bits) : low_bits;
}

void reduce(Form& form, unsigned bits) {
  if (form.hi - form.lo >= power_of_two(bits) - 1) {
    form = unknown(bits);
    return;
  }
  unsigned kept = 0;
  for (unsigned i = 0; i < form.count; ++i) {
    const auto factor = static_cast<std::int64_t>(reduced(form.terms[i].factor, bits));
    if (factor != 0) form.terms[kept++] = Term{form.terms[i].var, factor};
  }
  form.count = kept;
  const Wide lo = reduced(form.lo, bits);
  form.hi += lo - form.lo;
  form.lo = lo;
}

namespace {

/// factor·by, brought into 64 bits.
bool scaled(Wide factor, unsigned bits, std::int64_t& out) {
  if (bits != 0) {
    out = static_cast<std::int64_t>(reduced(factor, bits));
    return true;
  }
  out = static_cast<std::int64_t>(factor);
  return out == factor;
}

}  // namespace

// Factors are below 2^63 and slack bounds below 2^65 in absolute value, multipliers below 2^61 or reduced by the
// caller's type, so that no product leaves 128 bits; sums of two stay inside as well.
Fit combine(const Form& a, Wide ka, const Form& b, Wide kb, unsigned bits, Form& out) {
  out.count = 0;
  const Term* x = a.begin();
  const Term* y = b.begin();
  while (x != a.end() || y != b.end()) {
    const bool take_x = y == b.end() || (x != a.end() && x->var <= y->var);
    const bool take_y = x == a.end() || (y != b.end() && y->var <= x->var);
    const Var var = take_x ? x->var : y->var;
    Wide sum = 0;
    if (take_x) sum += ka * (x++)->factor;
    if (take_y) sum += kb * (y++)->factor;
    std::int64_t factor = 0;
    if (!scaled(sum, bits, factor)) return Fit::too_large;
    if (factor == 0) continue;
    if (out.count == kMaxTerms) return Fit::too_many_terms;
    out.push(var, factor);
  }
  const Interval sa = ka >= 0 ? Interval{a.lo * ka, a.hi * ka} : Interval{a.hi * ka, a.lo * ka};
  const Interval sb = kb >= 0 ? Interval{b.lo * kb, b.hi * kb} : Interval{b.hi * kb, b.lo * kb};
  out.lo = sa.lo + sb.lo;
  out.hi = sa.hi + sb.hi;
  if (bits != 0) reduce(out, bits);
  return Fit::fits;
}

unsigned trailing_zeros(const Form& form) {
  if (!form.slack_free()) return 0;
  std::uint64_t joined = static_cast<std::uint64_t>(form.lo) | std::uint64_t{1} << 63;
  for (const Term& term : form) joined |= static_cast<std::uint64_t>(term.factor);
  return static_cast<unsigned>(__builtin_ctzll(joined));
}

}  // namespace skmd::domain
