// SPDX-License-Identifier: Apache-2.0
// Slow and plain on purpose: it shares nothing with the evaluation that it checks.
#include "tests/partitioner/kernel_builder.h"

namespace skmd::domain::test {
namespace {

using U = std::uint64_t;
using S = std::int64_t;

U masked(U value, unsigned bits) { return bits == 64 ? value : value & ((U{1} << bits) - 1); }
S as_signed(U value, unsigned bits) {
  if (bits == 64) return static_cast<S>(value);
  return (value >> (bits - 1) & 1) != 0 ? static_cast<S>(value | ~((U{1} << bits) - 1)) : static_cast<S>(value);
}

struct Item {
  Extent3 group;
  Extent3 local;
  std::vector<U> iteration;
};

class Interpreter {
 public:
  Interpreter(const KernelTraits& traits, const NdRange& range, std::span<const ArgumentView> arguments,
              const std::function<U()>& oracle, U budget)
      : traits_(traits), range_(range), arguments_(arguments), oracle_(oracle), budget_(budget) {
    for (const ArgumentView& argument : arguments) {
      const auto bytes = argument.is_buffer ? argument.bytes : 0;
      touched_.push_back({std::vector<bool>(bytes), std::vector<bool>(bytes), std::vector<bool>(bytes)});
    }
  }

  bool run_group(const Extent3& group) {
    const Extent3& l = range_.local;
    for (U i = 0; i < l[0] * l[1] * l[2]; ++i) {
      Item item{group, {i % l[0], i / l[0] % l[1], i / l[0] / l[1]}, std::vector<U>(traits_.loops.size(), 0)};
      for (const Access& access : traits_.accesses) {
        if (!run_loops(item, access, 0)) return false;
      }
    }
    return true;
  }

  std::vector<Touched> take() { return std::move(touched_); }

 private:
  bool run_loops(Item& item, const Access& access, std::size_t depth) {
    if (depth == access.loops.size()) {
      run(item, access);
      return budget_ > 0 && --budget_ > 0;
    }
    const std::uint32_t loop = access.loops[depth];
    const NodeId count = traits_.loops[loop].backedges;
    const U backedges = count == kNoNode ? oracle_() % 8 : value(item, count);
    if (backedges > budget_) return false;
    for (U i = 0; i <= backedges; ++i) {
      item.iteration[loop] = i;
      if (!run_loops(item, access, depth + 1)) return false;
    }
    item.iteration[loop] = 0;
    return true;
  }

  void run(const Item& item, const Access& access) {
    for (const Guard& guard : access.guards) {
      if ((value(item, guard.node) != 0) != guard.expected) return;
    }
    if (access.offset == kNoNode) return;
    const S offset = as_signed(value(item, access.offset), 64);
    const U count = access.count == kNoNode ? 1 : value(item, access.count);
    Touched& touched = touched_[access.argument];
    const __int128 size = static_cast<__int128>(touched.read.size());
    const __int128 begin = static_cast<__int128>(offset) + arguments_[access.argument].before;
    const __int128 end = std::min<__int128>(begin + static_cast<__int128>(count) * access.width, size);
    for (__int128 at = std::max<__int128>(begin, 0); at < end; ++at) {
      const auto byte = static_cast<std::size_t>(at);
      if (access.kind != AccessKind::write) touched.read[byte] = true;
      if (access.kind != AccessKind::read) touched.written[byte] = true;
      if (access.kind == AccessKind::write && access.guards_complete) touched.surely[byte] = true;
    }
  }

  U leaf(const Item& item, const Node& n) {
    const unsigned d = n.dim;
    switch (n.op) {
      case Op::constant:
        return static_cast<U>(n.value);
      case Op::group_id:
        return item.group[d];
      case Op::local_id:
        return item.local[d];
      case Op::global_id:
        return range_.offset[d] + item.group[d] * range_.local[d] + item.local[d];
      case Op::local_size:
        return range_.local[d];
      case Op::group_count:
        return range_.global[d] / range_.local[d];
      case Op::global_size:
        return range_.global[d];
      case Op::global_offset:
        return range_.offset[d];
      case Op::work_dim:
        return range_.work_dim;
      case Op::iteration:
        return item.iteration[static_cast<std::size_t>(n.value)];
      case Op::scalar_argument: {
        U value = 0;
        std::memcpy(&value, arguments_[static_cast<std::size_t>(n.value)].value.data() + n.aux, (n.bits + 7u) / 8u);
        return value;
      }
      default:
        return oracle_();
    }
  }

  bool holds(Predicate predicate, U a, U b, unsigned bits) const {
    const S x = as_signed(a, bits);
    const S y = as_signed(b, bits);
    switch (predicate) {
      case Predicate::eq:
        return a == b;
      case Predicate::ne:
        return a != b;
      case Predicate::ult:
        return a < b;
      case Predicate::ule:
        return a <= b;
      case Predicate::ugt:
        return a > b;
      case Predicate::uge:
        return a >= b;
      case Predicate::slt:
        return x < y;
      case Predicate::sle:
        return x <= y;
      case Predicate::sgt:
        return x > y;
      default:
        return x >= y;
    }
  }

  /// Division by zero and shifts by too much give what the oracle says.
  U binary(const Node& n, U a, U b) {
    const S x = as_signed(a, n.bits);
    const S y = as_signed(b, n.bits);
    switch (n.op) {
      case Op::add:
        return a + b;
      case Op::sub:
        return a - b;
      case Op::mul:
        return a * b;
      case Op::udiv:
        return b == 0 ? oracle_() : a / b;
      case Op::urem:
        return b == 0 ? oracle_() : a % b;
      case Op::sdiv:
        return y == 0 ? oracle_() : y == -1 ? U{0} - a : static_cast<U>(x / y);
      case Op::srem:
        return y == 0 ? oracle_() : y == -1 ? U{0} : static_cast<U>(x % y);
      case Op::bit_and:
        return a & b;
      case Op::bit_or:
        return a | b;
      case Op::bit_xor:
        return a ^ b;
      case Op::shl:
        return b >= n.bits ? oracle_() : a << b;
      case Op::lshr:
        return b >= n.bits ? oracle_() : a >> b;
      case Op::ashr:
        return b >= n.bits ? oracle_() : static_cast<U>(x >> b);
      case Op::smin:
        return x < y ? a : b;
      case Op::smax:
        return x > y ? a : b;
      case Op::umin:
        return std::min(a, b);
      case Op::umax:
        return std::max(a, b);
      default:
        return oracle_();
    }
  }

  U value(const Item& item, NodeId id) {
    const Node& n = traits_.nodes[id];
    const auto operand = [&](NodeId node) { return value(item, node); };
    U result = 0;
    switch (n.op) {
      case Op::zext:
      case Op::trunc:
        result = operand(n.a);
        break;
      case Op::sext:
        result = static_cast<U>(as_signed(operand(n.a), traits_.nodes[n.a].bits));
        break;
      case Op::select:
        result = operand(n.a) != 0 ? operand(n.b) : operand(n.c);
        break;
      case Op::either:
        result = (oracle_() & 1) != 0 ? operand(n.a) : operand(n.b);
        break;
      case Op::compare:
        result = holds(static_cast<Predicate>(n.dim), operand(n.a), operand(n.b), traits_.nodes[n.a].bits) ? 1 : 0;
        break;
      default:
        result = n.op <= Op::unknown ? leaf(item, n) : binary(n, operand(n.a), operand(n.b));
        break;
    }
    return masked(result, n.bits);
  }

  const KernelTraits& traits_;
  const NdRange& range_;
  std::span<const ArgumentView> arguments_;
  const std::function<U()>& oracle_;
  U budget_;
  std::vector<Touched> touched_;
};

}  // namespace

std::optional<std::vector<Touched>> interpret(const KernelTraits& traits, const NdRange& range, const GroupSpan& span,
                                              std::span<const ArgumentView> arguments,
                                              const std::function<std::uint64_t()>& oracle,
                                              std::uint64_t most_iterations) {
  Interpreter interpreter(traits, range, arguments, oracle, most_iterations);
  const Extent3 n = range.group_counts();
  for (std::uint64_t g = span.first; g < span.last; ++g) {
    if (!interpreter.run_group({g % n[0], g / n[0] % n[1], g / n[0] / n[1]})) return std::nullopt;
  }
  return interpreter.take();
}

}  // namespace skmd::domain::test
