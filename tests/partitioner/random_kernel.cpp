// SPDX-License-Identifier: Apache-2.0
#include "tests/partitioner/random_kernel.h"

namespace skmd::domain::test {
namespace {

constexpr std::uint8_t kWidths[] = {8, 16, 32, 64};

class Generator {
 public:
  Generator(std::uint64_t seed, bool tame) : random_(seed), tame_(tame) {}

  RandomCase make() {
    make_range();
    const std::uint32_t buffers = 1 + below(2);
    for (std::uint32_t i = 0; i < buffers; ++i) c_.kernel.buffer(below(8) == 0 ? below(16) : 16 + below(600));
    scalars_ = {c_.kernel.scalar(below(40)), c_.kernel.scalar(static_cast<std::int64_t>(below(200)) - 100),
                c_.kernel.scalar(1 + below(16), 64), c_.kernel.scalar(static_cast<std::int64_t>(random_()), 16)};
    const std::uint32_t accesses = 1 + below(3);
    for (std::uint32_t i = 0; i < accesses; ++i) make_access(below(buffers));
    return std::move(c_);
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  KernelBuilder& k() { return c_.kernel; }
  std::uint8_t bits_of(NodeId id) { return k().traits.nodes[id].bits; }

  void make_range() {
    NdRange& r = c_.range;
    r.work_dim = static_cast<std::uint32_t>(1 + below(3));
    const std::uint64_t most_local[] = {r.work_dim == 1 ? 8u : 4u, 3, 2};
    for (std::uint32_t d = 0; d < r.work_dim; ++d) {
      r.local[d] = 1 + below(most_local[d]);
      r.global[d] = r.local[d] * (1 + below(r.work_dim == 1 ? 12 : 4));
      r.offset[d] = one_in(4) ? below(20) : 0;
    }
    const std::uint64_t total = r.group_total();
    c_.span.first = one_in(3) ? 0 : below(total);
    c_.span.last = one_in(3) ? total : c_.span.first + 1 + below(total - c_.span.first);
  }

  NodeId resized(NodeId id, std::uint8_t bits, bool sign) {
    if (bits_of(id) == bits) return id;
    if (bits_of(id) > bits) return k().cast(Op::trunc, id, bits);
    return k().cast(sign ? Op::sext : Op::zext, id, bits);
  }

  NodeId leaf(std::uint8_t bits) {
    const unsigned dim = static_cast<unsigned>(below(c_.range.work_dim));
    switch (below(loops_.empty() ? 10 : 13)) {
      case 0:
      case 1:
        return k().constant(below(9), bits);
      case 2:
        return k().constant(tame_ ? static_cast<std::int64_t>(below(33)) - 16 : static_cast<std::int64_t>(random_()),
                            bits);
      case 3:
      case 4:
        return resized(k().gid(dim), bits, false);
      case 5:
        return resized(k().lid(dim), bits, false);
      case 6:
        return resized(k().group(dim), bits, false);
      case 7:
        return resized(scalars_[below(tame_ ? 3 : 4)], bits, !one_in(4));
      case 8: {
        const Op sizes[] = {Op::local_size, Op::group_count, Op::global_size, Op::global_offset, Op::work_dim};
        return k().id(sizes[below(5)], dim, bits);
      }
      case 9:
        if (one_in(tame_ ? 6 : 2)) return k().node(Op::unknown, bits);
        return resized(k().gid(dim), bits, false);
      default:
        return k().iteration(loops_[below(loops_.size())], bits);
    }
  }

  NodeId tame_operation(std::uint8_t bits, int depth) {
    const NodeId a = expression(bits, depth - 1);
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
        return k().add(a, expression(bits, depth - 1));
      case 3:
        return k().sub(a, expression(bits, depth - 1));
      case 4:
      case 5:
        return k().times(a, static_cast<std::int64_t>(below(12)));
      case 6:
        return k().binary(Op::shl, a, k().constant(below(4), bits));
      case 7:
        return k().binary(one_in(2) ? Op::udiv : Op::sdiv, a, k().constant(1 + below(9), bits));
      case 8:
        return k().binary(one_in(2) ? Op::urem : Op::srem, a, k().constant(1 + below(9), bits));
      case 9:
        return k().binary(Op::bit_and, a, k().constant(one_in(2) ? (1 << below(5)) - 1 : -(1 << below(5)), bits));
      case 10:
        return k().binary(Op::lshr, a, k().constant(below(5), bits));
      case 11:
        return quotient_and_remainder(a);
      case 12:
        return k().binary(one_in(2) ? Op::smin : Op::umin, a, k().constant(below(30), bits));
      case 13:
        return k().binary(one_in(2) ? Op::smax : Op::umax, a, k().constant(below(30), bits));
      case 14:
        return k().node(Op::select, bits, condition(1), a, expression(bits, depth - 1));
      default:
        return resized(expression(kWidths[1 + below(3)], depth - 1), bits, one_in(2));
    }
  }

  /// x / d · k + x % d, as two-dimensional indices are made from one.
  NodeId quotient_and_remainder(NodeId x) {
    const NodeId d = k().constant(1 + below(8), bits_of(x));
    const NodeId row = k().times(k().binary(Op::udiv, x, d),
                                 one_in(2) ? k().traits.nodes[d].value : static_cast<std::int64_t>(1 + below(12)));
    return k().add(row, k().binary(Op::urem, x, d));
  }

  NodeId any_operation(std::uint8_t bits, int depth) {
    const auto op = static_cast<Op>(static_cast<int>(Op::add) + below(kOpCount - static_cast<int>(Op::add)));
    const std::uint8_t other = kWidths[below(4)];
    switch (op) {
      case Op::zext:
      case Op::sext:
      case Op::trunc:
        return resized(expression(other, depth - 1), bits, op == Op::sext);
      case Op::compare:
        return k().cast(Op::zext, condition(depth - 1), bits);
      case Op::select:
        return k().node(op, bits, condition(depth - 1), expression(bits, depth - 1), expression(bits, depth - 1));
      default:
        return k().node(op, bits, expression(bits, depth - 1), expression(bits, depth - 1));
    }
  }

  NodeId expression(std::uint8_t bits, int depth) {
    if (depth <= 0 || one_in(5)) return leaf(bits);
    // Nodes with two users.
    if (one_in(8) && !made_.empty()) return resized(made_[below(made_.size())], bits, one_in(2));
    const NodeId id = tame_ && !one_in(12) ? tame_operation(bits, depth) : any_operation(bits, depth);
    if (loops_.empty()) made_.push_back(id);
    return id;
  }

  NodeId condition(int depth) {
    if (depth > 0 && one_in(3)) {
      const NodeId a = condition(depth - 1);
      const NodeId b = condition(depth - 1);
      switch (below(6)) {
        case 0:
          return k().binary(Op::bit_and, a, b);
        case 1:
          return k().binary(Op::bit_or, a, b);
        case 2:
          return k().binary(Op::bit_xor, a, k().constant(1, 1));
        case 3:
          return k().node(Op::select, 1, a, b, k().constant(0, 1));
        case 4:
          return k().node(Op::select, 1, a, k().constant(1, 1), b);
        default:
          return k().compare(Predicate::ne, k().cast(Op::zext, a, 8), k().constant(0, 8));
      }
    }
    const std::uint8_t bits = tame_ ? (one_in(3) ? 64 : 32) : kWidths[below(4)];
    const auto predicate = static_cast<Predicate>(below(10));
    if (one_in(8)) {  // groups of which some items run, and neither all positions nor all local ids
      const unsigned dim = static_cast<unsigned>(below(c_.range.work_dim));
      const NodeId some = k().compare(Predicate::uge, k().lid(dim), k().constant(below(3)));
      return k().binary(Op::bit_and, some, k().compare(predicate, k().gid(dim), k().constant(below(24))));
    }
    if (one_in(2)) return k().compare(predicate, leaf(bits), k().constant(below(24), bits));
    return k().compare(predicate, expression(bits, depth), leaf(bits));
  }

  NodeId backedges() {
    if (one_in(12)) return kNoNode;
    const std::uint8_t bits = one_in(2) ? 32 : 64;
    if (one_in(2)) return k().constant(below(6), bits);
    if (one_in(2)) return k().binary(Op::urem, expression(bits, 2), k().constant(1 + below(7), bits));
    return k().binary(Op::udiv, k().sub(k().constant(20 + below(30), bits), leaf(bits)),
                      k().constant(3 + below(9), bits));
  }

  /// Offsets that are the form of a bound, times the width: if (i < n) out[i].
  NodeId shaped_index(Access& access) {
    const NodeId i = expression(64, 2);
    access.guards.push_back(
        {k().compare(one_in(2) ? Predicate::ult : Predicate::slt, i, k().constant(below(60))), true});
    return i;
  }

  void make_access(std::uint32_t buffer) {
    Access access;
    loops_.clear();
    for (std::uint64_t n = below(3); n > 0; --n) {
      const std::uint32_t loop = k().loop(backedges(), !one_in(4));
      access.loops.push_back(loop);
      loops_.push_back(loop);
    }
    access.kind = one_in(3) ? AccessKind::read : one_in(6) ? AccessKind::atomic : AccessKind::write;
    access.argument = buffer;
    access.width = 1u << below(5);
    access.guards_complete = !one_in(6);
    const std::uint8_t bits = one_in(2) ? 32 : 64;
    const NodeId index =
        tame_ && one_in(4) ? shaped_index(access) : resized(expression(bits, tame_ ? 3 : 4), 64, one_in(2));
    const std::uint64_t stride = one_in(4) ? below(20) : access.width;
    access.offset = one_in(30) ? kNoNode : k().plus(k().times(index, stride), one_in(3) ? below(40) : 0);
    if (one_in(8)) access.count = resized(expression(32, 1), 64, false);
    for (std::uint64_t n = below(3); n > 0; --n) access.guards.push_back({condition(2), !one_in(3)});
    k().traits.accesses.push_back(access);
    if (one_in(3) && access.offset != kNoNode) {  // a neighbour, as fields of a structure are
      access.offset = k().plus(access.offset, static_cast<std::int64_t>(below(3 * access.width)) - access.width);
      access.width = one_in(2) ? access.width : 1u << below(5);
      k().traits.accesses.push_back(access);
    }
    loops_.clear();
  }

  std::mt19937_64 random_;
  bool tame_;
  RandomCase c_;
  std::vector<NodeId> scalars_;
  std::vector<std::uint32_t> loops_;
  std::vector<NodeId> made_;
};

}  // namespace

RandomCase random_case(std::uint64_t seed, bool tame) { return Generator(seed, tame).make(); }

}  // namespace skmd::domain::test
