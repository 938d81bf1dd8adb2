// SPDX-License-Identifier: Apache-2.0
// Order of evaluation, ranges of forms, leaves. Operations are in evaluator_ops.cpp, division in
// evaluator_division.cpp.
#include "partitioner/footprint/evaluator.h"

#include <algorithm>

namespace skmd::domain {
namespace {

constexpr unsigned kMaxExponent = 120;  // ranges beyond 2^120 count as unbounded: they wrap in every type

Interval unbounded() { return {-power_of_two(kMaxExponent), power_of_two(kMaxExponent)}; }

/// Products of a factor and such a number stay below 2^120.
bool is_narrow(Wide value) { return value < power_of_two(56) && value > -power_of_two(56); }

/// Adds factor·values to `sum`; false if that leaves the bounds.
bool accumulate(Interval& sum, Wide factor, const Interval& values) {
  if (is_narrow(values.lo) && is_narrow(values.hi)) {  // the product of two 64-bit numbers; by far the most common
    const Wide first = factor * values.lo;
    const Wide second = factor * values.hi;
    sum.lo += std::min(first, second);
    sum.hi += std::max(first, second);
    return true;
  }
  Wide a = 0;
  Wide b = 0;
  if (__builtin_mul_overflow(factor, values.lo, &a) || __builtin_mul_overflow(factor, values.hi, &b)) return false;
  if (a > b) std::swap(a, b);
  const Interval limit = unbounded();
  if (a < limit.lo || b > limit.hi) return false;
  sum.lo += a;
  sum.hi += b;
  return true;
}

bool is_varying(Op op) {
  return op == Op::group_id || op == Op::local_id || op == Op::global_id || op == Op::iteration || op == Op::unknown;
}

}  // namespace

Evaluator::Evaluator(const LaunchView& launch)
    : launch_(launch),
      items_{},
      values_(std::make_unique_for_overwrite<Form[]>(launch.traits.nodes.size())),
      states_(launch.traits.nodes.size(), State::fresh),
      loops_(launch.traits.loops.size()) {}

void Evaluator::reset(const ItemSet& items) {
  items_ = items;
  for (State& state : states_) {
    if (state != State::constant) state = State::fresh;
  }
  std::fill(loops_.begin(), loops_.end(), LoopState{});
  derived_.clear();
}

const Form& Evaluator::value(NodeId node) {
  if (states_[node] < State::done) settle(node);
  return values_[node];
}

/// An explicit stack: expressions may be as deep as a kernel is long.
void Evaluator::settle(NodeId node) {
  stack_.push_back(node);
  while (!stack_.empty()) {
    const NodeId top = stack_.back();
    if (states_[top] >= State::done) {
      stack_.pop_back();
      continue;
    }
    states_[top] = State::visiting;
    if (push_missing(top)) continue;
    const Node& n = launch_.traits.nodes[top];
    values_[top] = compute(n);
    const auto constant = [&](NodeId operand) { return operand == kNoNode || states_[operand] == State::constant; };
    const bool same_in_all_boxes =
        !is_varying(n.op) && values_[top].count == 0 && constant(n.a) && constant(n.b) && constant(n.c);
    states_[top] = same_in_all_boxes ? State::constant : State::done;
    stack_.pop_back();
  }
}

/// Pushes what `node` depends on and is not evaluated. A loop whose count depends on itself is not followed.
bool Evaluator::push_missing(NodeId node) {
  const Node& n = launch_.traits.nodes[node];
  const std::size_t before = stack_.size();
  const auto push = [&](NodeId operand) {
    if (operand != kNoNode && states_[operand] == State::fresh) stack_.push_back(operand);
  };
  if (n.op == Op::iteration) {
    push(launch_.traits.loops[static_cast<std::size_t>(n.value)].backedges);
  } else {
    push(n.a);
    push(n.b);
    push(n.c);
  }
  return stack_.size() > before;
}

void Evaluator::set_iterations(std::uint32_t loop) {
  LoopState& state = loops_[loop];
  if (state.known) return;
  state.known = true;
  state.iterations = {0, power_of_two(64) - 1};
  const NodeId backedges = launch_.traits.loops[loop].backedges;
  if (backedges == kNoNode || states_[backedges] < State::done) return;
  Form count = values_[backedges];
  Interval values;
  canonicalise(count, launch_.traits.nodes[backedges].bits, false, values);
  state.iterations = {values.lo, values.hi};
}

Evaluator::Iterations Evaluator::iterations(std::uint32_t loop) {
  if (!loops_[loop].known) {
    const NodeId backedges = launch_.traits.loops[loop].backedges;
    if (backedges != kNoNode) value(backedges);
    set_iterations(loop);
  }
  return loops_[loop].iterations;
}

Interval Evaluator::var_range(Var var) const {
  if (var < 3) return items_.group[var];
  if (var < kFirstLoopVar) return items_.local[var - 3];
  if (var >= first_derived()) return derived_[var - first_derived()].values;
  const std::uint32_t loop = var - kFirstLoopVar;
  const Interval all{0, loops_[loop].iterations.most};
  const Interval left = intersect(all, items_.iteration(loop));
  return left.empty() ? all : left;
}

Interval Evaluator::range(const Form& form) const {
  Interval sum{form.lo, form.hi};
  std::array<std::int64_t, 6> ids{};
  for (const Term& term : form) {
    if (term.var < kFirstLoopVar) {
      ids[term.var] = term.factor;
    } else if (!accumulate(sum, term.factor, var_range(term.var))) {
      return unbounded();
    }
  }
  for (unsigned d = 0; d < 3; ++d) {
    const Wide by_group = ids[group_var(d)];
    const Wide by_local = ids[local_var(d)];
    bool inside = true;
    if (by_local != 0 && by_group == by_local * items_.local_size[d]) {
      inside = accumulate(sum, by_local, items_.position[d]);
    } else {
      inside = (by_group == 0 || accumulate(sum, by_group, items_.group[d])) &&
               (by_local == 0 || accumulate(sum, by_local, items_.local[d]));
    }
    if (!inside) return unbounded();
  }
  return sum;
}

bool Evaluator::canonicalise(Form& form, unsigned bits, bool is_signed, Interval& values) const {
  const Interval all = window(bits, is_signed);
  values = range(form);
  if (values.lo >= all.lo && values.hi <= all.hi) return true;
  const Wide turns = floor_div(values.lo - all.lo, power_of_two(bits));
  // Constants far from the window would not leave room for further arithmetic.
  constexpr unsigned kMaxShift = 66;
  const Wide shift = turns * power_of_two(bits);
  if (floor_div(values.hi - all.lo, power_of_two(bits)) == turns && shift < power_of_two(kMaxShift) &&
      shift > -power_of_two(kMaxShift)) {
    form.lo -= shift;
    form.hi -= shift;
    values = {values.lo - shift, values.hi - shift};
    return true;
  }
  form = anything(all);
  values = all;
  return false;
}

Evaluator::Truth Evaluator::compare(Predicate predicate, const Form& a, const Form& b, unsigned bits) const {
  if (predicate == Predicate::eq || predicate == Predicate::ne) {
    Form difference;
    if (combine(a, 1, b, -1, bits, difference) != Fit::fits) return Truth::maybe;
    const Interval values = range(difference);
    const Wide turn = power_of_two(bits);
    const bool equal_possible = floor_div(values.hi, turn) != floor_div(values.lo - 1, turn);
    const bool surely_equal = difference.is_point() && equal_possible;
    if (equal_possible && !surely_equal) return Truth::maybe;
    return surely_equal == (predicate == Predicate::eq) ? Truth::always : Truth::never;
  }
  const bool is_signed = predicate >= Predicate::slt;
  Form x = a;
  Form y = b;
  Interval vx;
  Interval vy;
  canonicalise(x, bits, is_signed, vx);
  canonicalise(y, bits, is_signed, vy);
  Form difference;
  Interval values{vx.lo - vy.hi, vx.hi - vy.lo};
  if (combine(x, 1, y, -1, 0, difference) == Fit::fits) values = intersect(values, range(difference));
  switch (predicate) {
    case Predicate::ult:
    case Predicate::slt:
      return values.hi < 0 ? Truth::always : values.lo >= 0 ? Truth::never : Truth::maybe;
    case Predicate::ule:
    case Predicate::sle:
      return values.hi <= 0 ? Truth::always : values.lo > 0 ? Truth::never : Truth::maybe;
    case Predicate::ugt:
    case Predicate::sgt:
      return values.lo > 0 ? Truth::always : values.hi <= 0 ? Truth::never : Truth::maybe;
    default:
      return values.lo >= 0 ? Truth::always : values.hi < 0 ? Truth::never : Truth::maybe;
  }
}

Form Evaluator::scalar(const Node& node) const {
  const auto index = static_cast<std::size_t>(node.value);
  const unsigned size = (node.bits + 7u) / 8u;
  if (index >= launch_.arguments.size()) return unknown(node.bits);  // buffers have no value, images their geometry
  const std::span<const std::byte> bytes = launch_.arguments[index].value;
  if (node.aux > bytes.size() || bytes.size() - node.aux < size) return unknown(node.bits);
  std::uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i)
    value |= std::uint64_t{std::to_integer<std::uint8_t>(bytes[node.aux + i])} << (8 * i);
  return point(reduced(value, node.bits));
}

Form Evaluator::leaf(const Node& node) const {
  const NdRange& range = launch_.range;
  const unsigned d = node.dim;
  Form form = point(0);
  switch (node.op) {
    case Op::constant:
      form = point(node.value);
      break;
    case Op::group_id:
      form.push(group_var(d), 1);
      break;
    case Op::local_id:
      form.push(local_var(d), 1);
      break;
    case Op::global_id:
      form = point(range.offset[d]);
      form.push(group_var(d), static_cast<std::int64_t>(range.local[d]));
      form.push(local_var(d), 1);
      break;
    case Op::local_size:
      form = point(range.local[d]);
      break;
    case Op::group_count:
      form = point(range.global[d] / range.local[d]);
      break;
    case Op::global_size:
      form = point(range.global[d]);
      break;
    case Op::global_offset:
      form = point(range.offset[d]);
      break;
    case Op::work_dim:
      form = point(range.work_dim);
      break;
    case Op::iteration:
      form.push(kFirstLoopVar + static_cast<Var>(node.value), 1);
      break;
    case Op::scalar_argument:
      return scalar(node);
    default:
      return unknown(node.bits);
  }
  reduce(form, node.bits);
  return form;
}

}  // namespace skmd::domain
