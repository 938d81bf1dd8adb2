// SPDX-License-Identifier: Apache-2.0
#include "tests/partitioner/kernel_builder.h"

#include <algorithm>

namespace skmd::domain {

void PrintTo(const RangeSet& set, std::ostream* out) {
  constexpr std::size_t kMax = 8;
  for (std::size_t i = 0; i < std::min(kMax, set.ranges().size()); ++i) {
    *out << '[' << set.ranges()[i].begin << ", " << set.ranges()[i].end << ") ";
  }
  *out << set.ranges().size() << " ranges, " << set.bytes() << " bytes";
}

}  // namespace skmd::domain

namespace skmd::domain::test {

std::uint32_t KernelBuilder::buffer(std::uint64_t bytes) {
  Parameter parameter;
  parameter.kind = ParameterKind::global_pointer;
  parameter.size = 8;
  traits.parameters.push_back(parameter);
  arguments_.push_back({true, bytes, {}, 0});
  return static_cast<std::uint32_t>(traits.parameters.size() - 1);
}

std::uint32_t KernelBuilder::local(std::uint64_t bytes) {
  Parameter parameter;
  parameter.kind = ParameterKind::local_pointer;
  parameter.size = 8;
  traits.parameters.push_back(parameter);
  traits.facts |= kFactLocalMemory;
  traits.locals_known = true;
  arguments_.push_back({false, bytes, {}, 0});
  return static_cast<std::uint32_t>(traits.parameters.size() - 1);
}

NodeId KernelBuilder::scalar(std::int64_t value, std::uint8_t bits) {
  Parameter parameter;
  parameter.size = bits / 8u;
  traits.parameters.push_back(parameter);
  Argument argument{false, 0, std::vector<std::byte>(bits / 8u)};
  std::memcpy(argument.value.data(), &value, argument.value.size());
  arguments_.push_back(argument);
  const NodeId id = node(Op::scalar_argument, bits);
  traits.nodes[id].value = static_cast<std::int64_t>(traits.parameters.size() - 1);
  return id;
}

NodeId KernelBuilder::node(Op op, std::uint8_t bits, NodeId a, NodeId b, NodeId c) {
  Node n;
  n.op = op;
  n.bits = bits;
  n.a = a;
  n.b = b;
  n.c = c;
  traits.nodes.push_back(n);
  return static_cast<NodeId>(traits.nodes.size() - 1);
}

NodeId KernelBuilder::constant(std::int64_t value, std::uint8_t bits) {
  const NodeId id = node(Op::constant, bits);
  traits.nodes[id].value = value;
  return id;
}

NodeId KernelBuilder::id(Op op, unsigned dim, std::uint8_t bits) {
  const NodeId id = node(op, bits);
  traits.nodes[id].dim = static_cast<std::uint8_t>(dim);
  return id;
}

NodeId KernelBuilder::compare(Predicate predicate, NodeId a, NodeId b) {
  const NodeId id = node(Op::compare, 1, a, b);
  traits.nodes[id].dim = static_cast<std::uint8_t>(predicate);
  return id;
}

std::uint32_t KernelBuilder::loop(NodeId backedges, bool exact) {
  traits.loops.push_back({backedges, exact, kNoNode, 0});
  return static_cast<std::uint32_t>(traits.loops.size() - 1);
}

NodeId KernelBuilder::iteration(std::uint32_t loop, std::uint8_t bits) {
  const NodeId id = node(Op::iteration, bits);
  traits.nodes[id].value = loop;
  return id;
}

Access& KernelBuilder::access(AccessKind kind, std::uint32_t buffer, NodeId index, std::uint32_t width) {
  Access access;
  access.kind = kind;
  access.argument = buffer;
  access.width = width;
  access.element = width;
  if (index != kNoNode) access.offset = times(index, width);
  traits.accesses.push_back(access);
  return traits.accesses.back();
}

Access& KernelBuilder::read(std::uint32_t buffer, NodeId index, std::uint32_t width) {
  return access(AccessKind::read, buffer, index, width);
}

Access& KernelBuilder::write(std::uint32_t buffer, NodeId index, std::uint32_t width) {
  Access& written = access(AccessKind::write, buffer, index, width);
  written.guards_complete = true;
  return written;
}

Access& KernelBuilder::local_access(std::uint32_t buffer, NodeId index, std::uint32_t width) {
  Access access;
  access.argument = buffer;
  access.width = width;
  access.offset = times(index, width);
  traits.local_accesses.push_back(access);
  return traits.local_accesses.back();
}

OperationCount& KernelBuilder::operations(std::uint32_t count) {
  traits.operations.push_back({count, {}, {}});
  return traits.operations.back();
}

std::vector<ArgumentView> KernelBuilder::arguments() const {
  std::vector<ArgumentView> views;
  for (const Argument& argument : arguments_)
    views.push_back({argument.is_buffer, argument.bytes, argument.value, argument.before});
  return views;
}

std::vector<Footprint> KernelBuilder::evaluate(const NdRange& range, const GroupSpan& span) const {
  return domain::evaluate(traits, range, span, arguments());
}

std::vector<Footprint> KernelBuilder::evaluate(const NdRange& range) const {
  return evaluate(range, {0, range.group_total()});
}

NdRange range_1d(std::uint64_t global, std::uint64_t local) { return {1, {0, 0, 0}, {global, 1, 1}, {local, 1, 1}}; }
NdRange range_2d(std::uint64_t gx, std::uint64_t gy, std::uint64_t lx, std::uint64_t ly) {
  return {2, {0, 0, 0}, {gx, gy, 1}, {lx, ly, 1}};
}
NdRange range_3d(const Extent3& global, const Extent3& local) { return {3, {0, 0, 0}, global, local}; }

}  // namespace skmd::domain::test
