// SPDX-License-Identifier: Apache-2.0
#include "partitioner/footprint/conditions.h"

#include <optional>

#include "partitioner/footprint/footprint_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

using Truth = Evaluator::Truth;

Truth both(Truth a, Truth b) {
  if (a == Truth::never || b == Truth::never) return Truth::never;
  return a == Truth::always && b == Truth::always ? Truth::always : Truth::maybe;
}

Predicate negated(Predicate predicate) {
  switch (predicate) {
    case Predicate::eq:
      return Predicate::ne;
    case Predicate::ne:
      return Predicate::eq;
    case Predicate::ult:
      return Predicate::uge;
    case Predicate::ule:
      return Predicate::ugt;
    case Predicate::ugt:
      return Predicate::ule;
    case Predicate::uge:
      return Predicate::ult;
    case Predicate::slt:
      return Predicate::sge;
    case Predicate::sle:
      return Predicate::sgt;
    case Predicate::sgt:
      return Predicate::sle;
    default:
      return Predicate::slt;
  }
}

class Guards {
 public:
  Guards(Evaluator& evaluator, Narrowed& narrowed) : evaluator_(evaluator), narrowed_(narrowed) {}

  Truth require(NodeId id, bool expected, int depth) {
    const Form form = evaluator_.value(id);
    if (form.is_point()) return ((form.lo & 1) != 0) == expected ? Truth::always : Truth::never;
    if (depth > kMaxNested) return not_understood();
    const Node& n = node(id);
    switch (n.op) {
      case Op::bit_and:
        return n.bits == 1 ? require_and(n.a, n.b, true, expected, depth) : not_understood();
      case Op::bit_or:
        return n.bits == 1 ? require_and(n.a, n.b, false, !expected, depth) : not_understood();
      case Op::bit_xor:
        return require_xor(n, expected, depth);
      case Op::select:
        return require_select(n, expected, depth);
      case Op::compare:
        return require_compare(n, expected, depth);
      case Op::trunc:
        return is_truth_value(n.a) ? require(node(n.a).a, expected, depth + 1) : not_understood();
      default:
        return not_understood();
    }
  }

 private:
  const Node& node(NodeId id) const { return evaluator_.launch().traits.nodes[id]; }

  Truth not_understood() {
    narrowed_.loose = true;
    return Truth::maybe;
  }

  /// zext of a condition: 0 or 1.
  bool is_truth_value(NodeId id) const { return node(id).op == Op::zext && node(node(id).a).bits == 1; }

  std::optional<bool> constant(NodeId id) {
    const Form& form = evaluator_.value(id);
    if (!form.is_point()) return std::nullopt;
    return (form.lo & 1) != 0;
  }

  /// (a == sense) and (b == sense), if `hold`; else not both of them.
  Truth require_and(NodeId a, NodeId b, bool sense, bool hold, int depth) {
    if (hold) return both(require(a, sense, depth + 1), require(b, sense, depth + 1));
    // One of the two has to fail. Only if the other one surely holds does that say which.
    const std::optional<bool> known_a = constant(a);
    const std::optional<bool> known_b = constant(b);
    if (known_a) return *known_a == sense ? require(b, !sense, depth + 1) : Truth::always;
    if (known_b) return *known_b == sense ? require(a, !sense, depth + 1) : Truth::always;
    return not_understood();
  }

  Truth require_xor(const Node& n, bool expected, int depth) {
    if (n.bits != 1) return not_understood();
    if (const auto known = constant(n.b)) return require(n.a, expected != *known, depth + 1);
    if (const auto known = constant(n.a)) return require(n.b, expected != *known, depth + 1);
    return not_understood();
  }

  /// Conditions are also joined by selects: c ? x : false is c and x, c ? true : x is c or x.
  Truth require_select(const Node& n, bool expected, int depth) {
    if (const auto known = constant(n.a)) return require(*known ? n.b : n.c, expected, depth + 1);
    const std::optional<bool> yes = constant(n.b);
    const std::optional<bool> no = constant(n.c);
    if (yes && no && *yes != *no) return require(n.a, *yes == expected, depth + 1);
    // The arm that cannot give `expected` is never taken, and the other one has to give it.
    if (no && *no != expected) return both(require(n.a, true, depth + 1), require(n.b, expected, depth + 1));
    if (yes && *yes != expected) return both(require(n.a, false, depth + 1), require(n.c, expected, depth + 1));
    return not_understood();
  }

  Truth require_compare(const Node& n, bool expected, int depth) {
    const Predicate predicate = expected ? static_cast<Predicate>(n.dim) : negated(static_cast<Predicate>(n.dim));
    const unsigned bits = node(n.a).bits;
    if (predicate == Predicate::eq || predicate == Predicate::ne) {
      if (const auto nested = condition_against_constant(n, depth, predicate == Predicate::eq)) return *nested;
    }
    const Form a = evaluator_.value(n.a);
    const Form b = evaluator_.value(n.b);
    const bool is_equality = predicate <= Predicate::ne;
    bool is_signed = predicate >= Predicate::slt;
    Form x;
    Form y;
    if (!canonical(a, b, bits, is_signed, x, y)) {
      is_signed = !is_signed;
      // Equality does not care for the sign; order does.
      if (!is_equality || !canonical(a, b, bits, is_signed, x, y)) return not_understood();
    }
    switch (predicate) {
      case Predicate::eq:
        return both(at_most_zero(x, y, 0), at_most_zero(y, x, 0));
      case Predicate::ne:
        return differ(x, y);
      case Predicate::ult:
      case Predicate::slt:
        return at_most_zero(x, y, 1);
      case Predicate::ule:
      case Predicate::sle:
        return at_most_zero(x, y, 0);
      case Predicate::ugt:
      case Predicate::sgt:
        return at_most_zero(y, x, 1);
      default:
        return at_most_zero(y, x, 0);
    }
  }

  bool canonical(const Form& a, const Form& b, unsigned bits, bool is_signed, Form& x, Form& y) const {
    Interval ignored;
    x = a;
    y = b;
    return evaluator_.canonicalise(x, bits, is_signed, ignored) && evaluator_.canonicalise(y, bits, is_signed, ignored);
  }

  /// `condition == 0` and the like.
  std::optional<Truth> condition_against_constant(const Node& n, int depth, bool equal) {
    for (const auto& [side, other] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}}) {
      const bool is_condition = node(side).bits == 1;
      if (!is_condition && !is_truth_value(side)) continue;
      const Form& number = evaluator_.value(other);
      if (!number.is_point()) continue;
      if (!is_condition && number.lo != 0 && number.lo != 1) continue;
      const bool value = (number.lo & 1) != 0;
      return require(is_condition ? side : node(side).a, value == equal, depth + 1);
    }
    return std::nullopt;
  }

  /// a - b + plus ≤ 0.
  Truth at_most_zero(const Form& a, const Form& b, Wide plus) {
    Form form;
    if (combine(a, 1, b, -1, 0, form) != Fit::fits) return not_understood();
    form.lo += plus;
    form.hi += plus;
    const Interval values = evaluator_.range(form);
    if (values.lo > 0) return Truth::never;
    if (values.hi <= 0) return Truth::always;
    narrow(form, values.lo);
    if (form.slack_free()) {
      narrowed_.bounds.push_back(form);
    } else {
      narrowed_.loose = true;
    }
    return Truth::maybe;
  }

  /// A single value is left out; that only says something at the end of a range.
  Truth differ(const Form& a, const Form& b) {
    Form form;
    if (combine(a, 1, b, -1, 0, form) != Fit::fits) return not_understood();
    const Interval values = evaluator_.range(form);
    if (values.lo > 0 || values.hi < 0) return Truth::always;
    if (values.lo == 0 && values.hi == 0) return Truth::never;
    if (values.lo == 0) return at_most_zero(b, a, 1);
    if (values.hi == 0) return at_most_zero(a, b, 1);
    return not_understood();
  }

  /// Each variable of form ≤ 0 is bounded by the least that the others can be.
  void narrow(const Form& form, Wide least) {
    const ItemSet& items = evaluator_.items();
    for (unsigned d = 0; d < 3; ++d) {
      const Wide by_group = form.factor(group_var(d));
      const Wide by_local = form.factor(local_var(d));
      if (by_local != 0 && by_group == by_local * items.local_size[d]) {
        bound(by_local, items.position[d], least, narrowed_.items.position[d]);
        continue;
      }
      bound(by_group, items.group[d], least, narrowed_.items.group[d]);
      bound(by_local, items.local[d], least, narrowed_.items.local[d]);
    }
    for (const Term& term : form) {
      if (term.var < kFirstLoopVar || term.var >= evaluator_.first_derived()) continue;
      const std::uint32_t loop = term.var - kFirstLoopVar;
      auto& iterations = narrowed_.items.iterations;
      while (iterations.size() <= loop) iterations.push_back(evaluator_.items().iteration(loop));
      bound(term.factor, evaluator_.var_range(term.var), least, iterations[loop]);
    }
  }

  /// factor·v + (least of the rest) ≤ 0, where `least` is the least of the whole form.
  void bound(Wide factor, const Interval& values, Wide least, Interval& into) {
    if (factor == 0) return;
    const Wide room = -least;  // ≥ 0: how far the variable may go from where it makes the form least
    const Interval left =
        factor > 0 ? Interval{into.lo, values.lo + room / factor} : Interval{values.hi - room / -factor, into.hi};
    const Interval next = intersect(into, left);
    if (next == into) return;
    into = next;
    narrowed_.smaller = true;
  }

  Evaluator& evaluator_;
  Narrowed& narrowed_;
};

}  // namespace

Evaluator::Truth apply_guards(Evaluator& evaluator, std::span<const Guard> guards, Narrowed& narrowed) {
  narrowed.items = evaluator.items();
  narrowed.smaller = false;
  narrowed.loose = false;
  narrowed.bounds.clear();
  Truth all = Truth::always;
  Guards conditions(evaluator, narrowed);
  for (const Guard& guard : guards) {
    all = both(all, conditions.require(guard.node, guard.expected, 0));
    if (all == Truth::never) return all;
  }
  if (narrowed.smaller && !narrowed.items.propagate()) return Truth::never;
  return all;
}

}  // namespace skmd::domain
