// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/node_table.h"

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/Hashing.h>

#include <optional>

#include "compiler/analysis/analysis_constants.h"

namespace skmd::compiler {

using domain::kNoNode;
using domain::Node;
using domain::NodeId;
using domain::Op;
using domain::Predicate;

namespace {

llvm::APInt number(const Node& node) {
  return llvm::APInt(node.bits, static_cast<std::uint64_t>(node.value), false, true);
}

std::optional<llvm::APInt> computed(Op op, const llvm::APInt& a, const llvm::APInt& b) {
  const bool divides = op == Op::udiv || op == Op::sdiv || op == Op::urem || op == Op::srem;
  if (divides && b.isZero()) return std::nullopt;
  const bool shifts = op == Op::shl || op == Op::lshr || op == Op::ashr;
  if (shifts && b.uge(a.getBitWidth())) return std::nullopt;
  switch (op) {
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::udiv:
      return a.udiv(b);
    case Op::sdiv:
      return a.sdiv(b);
    case Op::urem:
      return a.urem(b);
    case Op::srem:
      return a.srem(b);
    case Op::bit_and:
      return a & b;
    case Op::bit_or:
      return a | b;
    case Op::bit_xor:
      return a ^ b;
    case Op::shl:
      return a.shl(b);
    case Op::lshr:
      return a.lshr(b);
    case Op::ashr:
      return a.ashr(b);
    case Op::smin:
      return a.slt(b) ? a : b;
    case Op::smax:
      return a.sgt(b) ? a : b;
    case Op::umin:
      return a.ult(b) ? a : b;
    case Op::umax:
      return a.ugt(b) ? a : b;
    default:
      return std::nullopt;
  }
}

bool holds(Predicate predicate, const llvm::APInt& a, const llvm::APInt& b) {
  switch (predicate) {
    case Predicate::eq:
      return a == b;
    case Predicate::ne:
      return a != b;
    case Predicate::ult:
      return a.ult(b);
    case Predicate::ule:
      return a.ule(b);
    case Predicate::ugt:
      return a.ugt(b);
    case Predicate::uge:
      return a.uge(b);
    case Predicate::slt:
      return a.slt(b);
    case Predicate::sle:
      return a.sle(b);
    case Predicate::sgt:
      return a.sgt(b);
    case Predicate::sge:
      return a.sge(b);
  }
  return false;
}

// Whether an unknown operand makes the whole result unknown. Masks, remainders, shifts right and min/max still bound
// it.
bool absorbs(Op op) {
  return op == Op::add || op == Op::sub || op == Op::mul || op == Op::bit_or || op == Op::bit_xor || op == Op::shl;
}

}  // namespace

std::size_t NodeTable::Hash::operator()(const Node& node) const {
  return llvm::hash_combine(static_cast<unsigned>(node.op), node.bits, node.dim, node.aux, node.a, node.b, node.c,
                            node.value);
}

NodeId NodeTable::intern(const Node& node) {
  if (const auto found = ids_.find(node); found != ids_.end()) return found->second;
  Node kept = node;
  if (nodes_.size() >= tuning::kMaxNodes) {
    kept = Node{};
    kept.bits = node.bits;
    if (const auto found = ids_.find(kept); found != ids_.end()) return found->second;
  }
  const auto id = static_cast<NodeId>(nodes_.size());
  bool determined = kept.op != Op::unknown && kept.op != Op::either;
  for (const NodeId operand : {kept.a, kept.b, kept.c}) determined &= operand == kNoNode || determined_[operand];
  nodes_.push_back(kept);
  determined_.push_back(determined);
  ids_.emplace(kept, id);
  return id;
}

bool NodeTable::is_constant(NodeId id, std::int64_t value) const {
  return nodes_[id].op == Op::constant && nodes_[id].value == value;
}

NodeId NodeTable::constant(std::int64_t value, unsigned bits) {
  Node node;
  node.op = Op::constant;
  node.bits = static_cast<std::uint8_t>(bits);
  node.value = llvm::APInt(bits, static_cast<std::uint64_t>(value), false, true).getSExtValue();
  return intern(node);
}

NodeId NodeTable::geometry(Op op, unsigned dim) {
  Node node;
  node.op = op;
  node.dim = static_cast<std::uint8_t>(dim);
  return intern(node);
}

NodeId NodeTable::argument(unsigned index, unsigned byte, unsigned bits) {
  Node node;
  node.op = Op::scalar_argument;
  node.bits = static_cast<std::uint8_t>(bits);
  node.value = index;
  node.aux = byte;
  return intern(node);
}

NodeId NodeTable::iteration(unsigned loop, unsigned bits) {
  Node node;
  node.op = Op::iteration;
  node.bits = static_cast<std::uint8_t>(bits);
  node.value = loop;
  return intern(node);
}

NodeId NodeTable::unknown(unsigned bits) {
  Node node;
  node.bits = static_cast<std::uint8_t>(bits);
  node.value = ++next_unknown_;
  return intern(node);
}

NodeId NodeTable::fold(Op op, NodeId a, NodeId b) {
  if (at(a).op != Op::constant || at(b).op != Op::constant) return kNoNode;
  const auto result = computed(op, number(at(a)), number(at(b)));
  return result ? constant(result->getSExtValue(), bits(a)) : kNoNode;
}

// LLVM writes (long)(int)x as x << 32 >> 32, and (ulong)(uint)x as x & 0xFFFFFFFF.
NodeId NodeTable::low_bits(Op op, const Node& left, NodeId b) {
  if (at(b).op != Op::constant) return kNoNode;
  const std::int64_t value = at(b).value;
  const unsigned bits = left.bits;
  if (op == Op::bit_and) {
    if (value != 0xFF && value != 0xFFFF && value != 0xFFFFFFFF) return kNoNode;
    const unsigned width = value == 0xFF ? 8 : value == 0xFFFF ? 16 : 32;
    const NodeId a = ids_.at(left);
    return width >= bits ? kNoNode : cast(Op::zext, cast(Op::trunc, a, width), bits);
  }
  if (left.op != Op::mul || value <= 0 || value >= static_cast<std::int64_t>(bits)) return kNoNode;
  const NodeId power = constant(static_cast<std::int64_t>(std::uint64_t{1} << value), bits);
  if (left.b != power) return kNoNode;
  const NodeId low = cast(Op::trunc, left.a, bits - static_cast<unsigned>(value));
  return cast(op == Op::ashr ? Op::sext : Op::zext, low, bits);
}

NodeId NodeTable::simplified(Op op, NodeId a, NodeId b) {
  const bool neutral_zero = op == Op::add || op == Op::sub || op == Op::bit_or || op == Op::bit_xor || op == Op::shl ||
                            op == Op::lshr || op == Op::ashr;
  if (neutral_zero && is_constant(b, 0)) return a;
  if ((op == Op::mul || op == Op::udiv || op == Op::sdiv) && is_constant(b, 1) && bits(b) > 1) return a;
  if ((op == Op::mul || op == Op::bit_and) && is_constant(b, 0)) return b;
  // (x + c) + d and (x * c) * d, as they come out of nested addressing. Exact modulo 2^bits.
  const Node left = at(a);
  if ((op == Op::add || op == Op::mul) && left.op == op && at(b).op == Op::constant && at(left.b).op == Op::constant) {
    return binary(op, left.a, fold(op, left.b, b));
  }
  // Shifts of variables by constants are multiplications, which stay affine.
  if (op == Op::shl && at(b).op == Op::constant && at(b).value > 0 && at(b).value < static_cast<int>(bits(a))) {
    return binary(Op::mul, a, constant(static_cast<std::int64_t>(std::uint64_t{1} << at(b).value), bits(a)));
  }
  if (op == Op::ashr || op == Op::lshr || op == Op::bit_and) {
    if (const NodeId narrowed = low_bits(op, left, b); narrowed != kNoNode) return narrowed;
  }
  const Node right = at(b);
  if (op == Op::add && right.op == Op::mul && is_constant(right.b, -1)) return binary(Op::sub, a, right.a);
  return kNoNode;
}

NodeId NodeTable::binary(Op op, NodeId a, NodeId b) {
  if (const NodeId folded = fold(op, a, b); folded != kNoNode) return folded;
  const bool commutes = op == Op::add || op == Op::mul || op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor ||
                        op == Op::smin || op == Op::smax || op == Op::umin || op == Op::umax;
  if (commutes && at(a).op == Op::constant) std::swap(a, b);
  if (const NodeId simpler = simplified(op, a, b); simpler != kNoNode) return simpler;
  const bool both = is_unknown(a) && is_unknown(b);
  if (both || (absorbs(op) && (is_unknown(a) || is_unknown(b)))) return unknown(bits(a));
  Node node;
  node.op = op;
  node.bits = at(a).bits;
  node.a = a;
  node.b = b;
  return intern(node);
}

NodeId NodeTable::cast(Op op, NodeId a, unsigned width) {
  const Node from = at(a);
  if (from.bits == width) return a;
  if (from.op == Op::constant) {
    const llvm::APInt value = number(from);
    const bool zero = op == Op::zext;
    return constant((zero ? value.zext(width) : value.sextOrTrunc(width)).getSExtValue(), width);
  }
  if (op == Op::trunc) {
    if (from.op == Op::unknown) return unknown(width);
    const bool extended = from.op == Op::zext || from.op == Op::sext;
    if (extended && bits(from.a) == width) return from.a;
    if (extended && bits(from.a) > width) return cast(Op::trunc, from.a, width);
  }
  Node node;
  node.op = op;
  node.bits = static_cast<std::uint8_t>(width);
  node.a = a;
  return intern(node);
}

NodeId NodeTable::compare(Predicate predicate, NodeId a, NodeId b) {
  if (at(a).op == Op::constant && at(b).op == Op::constant) {
    return constant(holds(predicate, number(at(a)), number(at(b))) ? 1 : 0, 1);
  }
  if (is_unknown(a) || is_unknown(b)) return unknown(1);
  Node node;
  node.op = Op::compare;
  node.bits = 1;
  node.dim = static_cast<std::uint8_t>(predicate);
  node.a = a;
  node.b = b;
  return intern(node);
}

NodeId NodeTable::select(NodeId condition, NodeId a, NodeId b) {
  if (a == b) return a;
  if (at(condition).op == Op::constant) return at(condition).value != 0 ? a : b;
  // a && b, a || b as LLVM keeps them.
  if (bits(a) == 1 && is_constant(b, 0)) return binary(Op::bit_and, condition, a);
  if (bits(a) == 1 && at(a).op == Op::constant && at(a).value != 0) return binary(Op::bit_or, condition, b);
  if (is_unknown(condition)) return either(a, b);
  if (is_unknown(a) && is_unknown(b)) return unknown(bits(a));
  Node node;
  node.op = Op::select;
  node.bits = at(a).bits;
  node.a = condition;
  node.b = a;
  node.c = b;
  return intern(node);
}

NodeId NodeTable::either(NodeId a, NodeId b) {
  if (a == b) return a;
  if (is_unknown(a)) return a;
  if (is_unknown(b)) return b;
  Node node;
  node.op = Op::either;
  node.bits = at(a).bits;
  node.a = a;
  node.b = b;
  return intern(node);
}

}  // namespace skmd::compiler
