// SPDX-License-Identifier: Apache-2.0
#include "partitioner/footprint/shape.h"

#include <algorithm>

namespace skmd::domain {
namespace {

bool is_around(const Access& access, std::uint32_t loop) {
  return std::find(access.loops.begin(), access.loops.end(), loop) != access.loops.end();
}

/// The width of a region that is cut is the reach of single executions, and stays.
void condense_uncut(Shape& shape) {
  if (shape.step != 0) return;
  condense(shape.may);
  if (shape.must) condense(*shape.must);
}

class ShapeMaker {
 public:
  ShapeMaker(const Access& access, const Setting& setting)
      : access_(access), evaluator_(setting.evaluator), items_(setting.evaluator.items()), setting_(setting) {}

  Shape make(const Form& offset, const Interval& width, const Interval& offsets) {
    const Wide spread = offset.hi - offset.lo;
    shape_.offsets = offsets;
    shape_.tail = width.hi + spread;
    shape_.may.first = offset.lo;
    shape_.may.width = width.hi + spread;
    shape_.same = spread == 0 && width.is_point();
    if (spread == 0 && width.lo > 0 && surely_runs()) {
      shape_.must.emplace();
      shape_.must->first = offset.lo;
      shape_.must->width = width.lo;
    }
    add_variables(offset);
    for (const Form& bound : setting_.narrowed.bounds) {
      if (setting_.guards == Evaluator::Truth::always) break;
      // Steps narrower than an execution: bytes before the limit may belong to executions after it.
      const Wide step = cut_by_bound(offset, bound);
      if (step < width.hi) shape_.must.reset();
      if (step > 0) shape_.step = shape_.step == 0 ? step : std::min(shape_.step, step);
    }
    condense_uncut(shape_);
    return shape_;
  }

 private:
  /// Whether each work-item runs the access, for those iterations that the loops around it surely make.
  bool surely_runs() const {
    if (access_.kind != AccessKind::write || !access_.guards_complete || setting_.narrowed.loose) return false;
    for (const std::uint32_t loop : access_.loops) {
      if (!evaluator_.launch().traits.loops[loop].exact) return false;
      const Interval asked = items_.iteration(loop);
      if (asked.lo > 0 && asked.lo > evaluator_.iterations(loop).least) return false;
    }
    // Bounds on iterations of other loops say nothing about when the access runs.
    for (std::uint32_t loop = 0; loop < items_.iterations.size(); ++loop) {
      if (!is_around(access_, loop) && items_.iteration(loop) != Interval{0, power_of_two(64) - 1}) return false;
    }
    return true;
  }

  void add_variables(const Form& form) {
    for (unsigned d = 0; d < 3; ++d) add_dimension(form, d);
    for (unsigned i = 0; i < form.count; ++i) {
      const Term& term = form.terms[i];
      if (term.var < kFirstLoopVar) continue;
      if (term.var < evaluator_.first_derived()) {
        add_iteration(term);
      } else {
        add_derived(form, i);
      }
    }
  }

  /// The items of a dimension are a product of groups and local ids, or all positions of an interval, or neither;
  /// `must` is dropped where it cannot be told which items there are.
  void add_dimension(const Form& form, unsigned d) {
    const Wide by_group = form.factor(group_var(d));
    const Wide by_local = form.factor(local_var(d));
    const Wide size = items_.local_size[d];
    const bool product = items_.is_product(d);
    if (!product && !items_.is_dense(d)) shape_.must.reset();
    if (by_group != 0 && by_group == by_local * size && (!product || items_.is_dense(d))) {
      push(by_local, items_.position[d], items_.position[d]);
      return;
    }
    if (product || by_local == 0) {
      push(by_group, items_.group[d], items_.group[d]);
      push(by_local, items_.local[d], items_.local[d]);
      return;
    }
    // Only whole groups take part with all their local ids.
    const Interval whole{ceil_div(items_.position[d].lo, size), floor_div(items_.position[d].hi + 1, size) - 1};
    push(by_group, items_.group[d], whole);
    push(by_local, items_.local[d], items_.local[d]);
    if (whole.empty()) shape_.must.reset();
  }

  void add_iteration(const Term& term) {
    const std::uint32_t loop = term.var - kFirstLoopVar;
    const Interval sure = intersect({0, evaluator_.iterations(loop).least}, items_.iteration(loop));
    push(term.factor, evaluator_.var_range(term.var), sure);
    if (!is_around(access_, loop)) shape_.must.reset();
  }

  /// Quotients and remainders of a dividend that takes every value of an interval take every pair of values, except
  /// in an incomplete row at either end.
  void add_derived(const Form& form, unsigned index) {
    const Term& term = form.terms[index];
    const Derived& derived = evaluator_.derived(term.var);
    Interval sure{0, -1};
    const bool with_partner = has_partner(form, term.var);
    Interval dividends;
    if (shape_.must && derived.kind != Derived::Kind::opaque && independent(form, term.var) &&
        takes_every_value(derived.source, dividends)) {
      const Interval whole_rows{ceil_div(dividends.lo, derived.divisor),
                                floor_div(dividends.hi + 1, derived.divisor) - 1};
      if (derived.kind == Derived::Kind::remainder) {
        if (!whole_rows.empty()) sure = {0, derived.divisor - 1};
      } else {
        sure = with_partner
                   ? whole_rows
                   : Interval{floor_div(dividends.lo, derived.divisor), floor_div(dividends.hi, derived.divisor)};
      }
    }
    push(term.factor, derived.values, sure);
  }

  bool has_partner(const Form& form, Var var) const {
    const bool is_quotient = evaluator_.derived(var).kind == Derived::Kind::quotient;
    return form.factor(is_quotient ? var + 1 : var - 1) != 0;
  }

  /// No other variable of the form depends on what the dividend of `var` depends on.
  bool independent(const Form& form, Var var) const {
    const Derived& derived = evaluator_.derived(var);
    const Var partner = derived.kind == Derived::Kind::quotient ? var + 1 : var - 1;
    for (const Term& own : derived.source) {
      if (own.var >= evaluator_.first_derived()) return false;
      for (const Term& other : form) {
        if (other.var == var || other.var == partner) continue;
        if (other.var >= evaluator_.first_derived()) {
          const Derived& further = evaluator_.derived(other.var);
          if (further.kind == Derived::Kind::opaque) return false;
          for (const Term& term : further.source) {
            if (related(own.var, term.var)) return false;
          }
        } else if (related(own.var, other.var)) {
          return false;
        }
      }
    }
    return true;
  }

  bool related(Var a, Var b) const {
    if (a == b || a >= evaluator_.first_derived() || b >= evaluator_.first_derived()) return true;
    const bool ids = a < kFirstLoopVar && b < kFirstLoopVar;
    // Iterations surely made are the same for all items, so that they go with every id.
    return ids && a % 3 == b % 3 && !items_.is_product(a % 3);
  }

  bool takes_every_value(const Form& source, Interval& values) const {
    ShapeMaker part(access_, setting_);
    part.shape_.must.emplace();
    part.shape_.must->first = source.lo;
    part.add_variables(source);
    return part.shape_.must && is_gapless(*part.shape_.must, values);
  }

  /// A region without interval for `must` has no sure places.
  void push(Wide factor, const Interval& may, const Interval& must) {
    if (factor == 0) return;
    shape_.may.push(factor, may);
    shape_.same = shape_.same && may == must;
    if (!shape_.must) return;
    if (must.empty()) {
      shape_.must.reset();
    } else {
      shape_.must->push(factor, must);
    }
  }

  /// If `bound` ≤ 0 is a bound on the offset itself, cuts the offsets by it: if (i < n) out[i] for any form i.
  /// Returns the step between possible offsets; 0: the bound has another shape.
  Wide cut_by_bound(const Form& offset, const Form& bound) {
    if (bound.count == 0 || bound.count != offset.count || !offset.slack_free()) return 0;
    const Wide step = offset.terms[0].factor / bound.terms[0].factor;
    if (step == 0) return 0;
    for (unsigned i = 0; i < offset.count; ++i) {
      if (offset.terms[i].var != bound.terms[i].var || offset.terms[i].factor != bound.terms[i].factor * step) return 0;
    }
    // bound = Σ + b ≤ 0 and offset = step·Σ + c: where Σ ≤ -b, the offset is at most (or at least) c - step·b.
    const Wide limit = offset.lo - step * bound.lo;
    Interval& offsets = shape_.offsets;
    offsets = intersect(offsets, step > 0 ? Interval{offsets.lo, limit} : Interval{limit, offsets.hi});
    return step > 0 ? step : -step;
  }

  const Access& access_;
  Evaluator& evaluator_;
  const ItemSet& items_;
  const Setting& setting_;
  Shape shape_;
};

bool same_places(const Region& a, const Region& b) {
  return a.count == b.count && std::equal(a.dims.begin(), a.dims.begin() + a.count, b.dims.begin());
}

/// Sure places that are possible places of some items, byte for byte.
bool same_bytes(const Shape& shape) {
  return !shape.must || (shape.must->first == shape.may.first && shape.must->width == shape.may.width);
}

}  // namespace

bool fuse(Shape& shape, const Shape& other) {
  const Wide apart = other.may.first - shape.may.first;
  const Wide width = std::max(shape.may.width, apart + other.may.width);
  if (apart < 0 || apart > shape.may.width || shape.same != other.same || shape.step != other.step) return false;
  if (shape.must.has_value() != other.must.has_value() || !same_bytes(shape) || !same_bytes(other)) return false;
  if (!same_places(shape.may, other.may) || (shape.must && !same_places(*shape.must, *other.must))) return false;
  if (shape.step != 0) {
    // Bytes up to the cut have to belong to executions before the cut, the same ones for both.
    if (width > shape.step || other.offsets != Interval{shape.offsets.lo + apart, shape.offsets.hi + apart})
      return false;
    shape.tail = width;
  } else {
    const Wide end = std::max(shape.offsets.hi + shape.tail, other.offsets.hi + other.tail);
    shape.offsets = hull(shape.offsets, other.offsets);
    shape.tail = end - shape.offsets.hi;
  }
  shape.may.width = width;
  if (shape.must) shape.must->width = width;
  condense_uncut(shape);
  return true;
}

Shape shape_of(const Access& access, const Setting& setting, const Form& offset, const Interval& width,
               const Interval& offsets) {
  return ShapeMaker(access, setting).make(offset, width, offsets);
}

}  // namespace skmd::domain
