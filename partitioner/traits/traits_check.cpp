// SPDX-License-Identifier: Apache-2.0
// The rules that make an expression DAG meaningful; evaluation relies on them.
#include <string>

#include "partitioner/traits/traits_codec.h"

namespace skmd::domain {
namespace {

Error at(const char* list, std::size_t index, const std::string& what) {
  return {0, std::string(list) + ' ' + std::to_string(index) + ": " + what};
}

std::uint32_t operand_count(Op op) {
  if (op <= Op::unknown) return 0;
  if (op >= Op::zext && op <= Op::trunc) return 1;
  return op == Op::select ? 3 : 2;
}

bool is_dimensional(Op op) { return op >= Op::group_id && op <= Op::global_offset; }

/// Operands have the types that LLVM's instruction of the same name asks for.
bool widths_fit(const Node& n, const std::vector<Node>& nodes) {
  switch (n.op) {
    case Op::zext:
    case Op::sext:
      return nodes[n.a].bits <= n.bits;
    case Op::trunc:
      return nodes[n.a].bits >= n.bits;
    case Op::select:
      return nodes[n.a].bits == 1 && nodes[n.b].bits == n.bits && nodes[n.c].bits == n.bits;
    case Op::compare:
      return n.bits == 1 && nodes[n.a].bits == nodes[n.b].bits;
    default:
      return operand_count(n.op) == 0 || (nodes[n.a].bits == n.bits && nodes[n.b].bits == n.bits);
  }
}

Status check_node(const KernelTraits& k, std::size_t i) {
  const Node& n = k.nodes[i];
  if (n.op > Op::either) return at("node", i, "operation " + std::to_string(static_cast<int>(n.op)) + " is unknown");
  if (n.bits < 1 || n.bits > 64) return at("node", i, std::to_string(n.bits) + " bits, allowed are 1 to 64");
  const NodeId operands[3] = {n.a, n.b, n.c};
  const std::uint32_t count = operand_count(n.op);
  for (std::uint32_t o = 0; o < 3; ++o) {
    const bool fits = o < count ? operands[o] < i : operands[o] == kNoNode;
    if (!fits) return at("node", i, "operand " + std::to_string(o) + " is " + std::to_string(operands[o]));
  }
  if (is_dimensional(n.op) && n.dim > 2) return at("node", i, "dimension " + std::to_string(n.dim));
  if (n.op == Op::compare && n.dim > static_cast<std::uint8_t>(Predicate::sge)) {
    return at("node", i, "predicate " + std::to_string(n.dim));
  }
  const auto index = static_cast<std::uint64_t>(n.value);
  if (n.op == Op::scalar_argument && index >= k.parameters.size()) {
    return at("node", i, "argument " + std::to_string(n.value));
  }
  if (n.op == Op::iteration && index >= k.loops.size()) return at("node", i, "loop " + std::to_string(n.value));
  if (!widths_fit(n, k.nodes)) return at("node", i, "operand widths do not fit");
  return {};
}

/// Guards and loops of entry `i` of `list`.
Status check_circumstances(const KernelTraits& k, const char* list, std::size_t i, const std::vector<Guard>& guards,
                           const std::vector<std::uint32_t>& loops) {
  for (const Guard& guard : guards) {
    if (guard.node >= k.nodes.size() || k.nodes[guard.node].bits != 1) return at(list, i, "guard is no condition");
  }
  for (const std::uint32_t loop : loops) {
    if (loop >= k.loops.size()) return at(list, i, "loop " + std::to_string(loop));
  }
  return {};
}

Status check_loop(const KernelTraits& k, std::size_t i) {
  const Loop& loop = k.loops[i];
  if (loop.backedges != kNoNode && loop.backedges >= k.nodes.size()) return at("loop", i, "back edge count is no node");
  if (loop.ratio != kNoNode && loop.ratio >= k.nodes.size()) return at("loop", i, "ratio is no node");
  const bool fits = loop.ratio == kNoNode ? loop.doublings == 0 : loop.doublings >= 1 && loop.doublings <= 63;
  if (!fits) return at("loop", i, std::to_string(loop.doublings) + " doublings");
  return {};
}

/// Of `a`, entry `i` of `list`, which is of one of `arguments`.
Status check_access(const KernelTraits& k, const char* list, std::size_t i, const Access& a, std::size_t arguments) {
  const auto is_node = [&](NodeId id) { return id == kNoNode || id < k.nodes.size(); };
  if (a.kind > AccessKind::atomic) return at(list, i, "kind");
  if (a.atomic > AtomicClass::other) return at(list, i, "atomic class");
  if (a.argument >= arguments) return at(list, i, "argument " + std::to_string(a.argument));
  if (!is_node(a.offset) || !is_node(a.count)) return at(list, i, "offset or count is no node");
  if (a.offset != kNoNode && k.nodes[a.offset].bits != 64) return at(list, i, "offset is not 64 bits wide");
  if (a.width == 0) return at(list, i, "width 0");
  return check_circumstances(k, list, i, a.guards, a.loops);
}

Status check_head(const KernelTraits& k) {
  if ((k.queries & ~((kQuerySubGroup << 1) - 1)) != 0) return Error{0, "unknown query bits"};
  if ((k.facts & ~((kFactDataDecidesWork << 1) - 1)) != 0) return Error{0, "unknown fact bits"};
  if (k.access > AccessClass::discontiguous) return Error{0, "unknown access class"};
  for (std::size_t i = 0; i < k.parameters.size(); ++i) {
    const Parameter& p = k.parameters[i];
    if (p.kind > ParameterKind::other) return at("parameter", i, "kind");
    if (p.image_access > ImageAccess::read_write) return at("parameter", i, "image access");
  }
  for (std::size_t i = 0; i < k.loops.size(); ++i) {
    if (Status status = check_loop(k, i); !status) return status;
  }
  for (std::size_t i = 0; i < k.merge_loads.size(); ++i) {
    if (k.merge_loads[i] >= k.parameters.size())
      return at("merge load", i, "argument " + std::to_string(k.merge_loads[i]));
  }
  return {};
}

}  // namespace

Status check_traits(const KernelTraits& kernel) {
  if (Status status = check_head(kernel); !status) return status;
  for (std::size_t i = 0; i < kernel.nodes.size(); ++i) {
    if (Status status = check_node(kernel, i); !status) return status;
  }
  for (std::size_t i = 0; i < kernel.accesses.size(); ++i) {
    const Access& access = kernel.accesses[i];
    if (Status status = check_access(kernel, "access", i, access, kernel.parameters.size()); !status) return status;
  }
  const std::size_t locals = kernel.parameters.size() + kernel.local_variables.size();
  for (std::size_t i = 0; i < kernel.local_accesses.size(); ++i) {
    const Access& access = kernel.local_accesses[i];
    if (Status status = check_access(kernel, "local access", i, access, locals); !status) return status;
    if (access.argument < kernel.parameters.size() &&
        kernel.parameters[access.argument].kind != ParameterKind::local_pointer)
      return at("local access", i, "argument " + std::to_string(access.argument) + ", which is no local pointer");
  }
  for (std::size_t i = 0; i < kernel.operations.size(); ++i) {
    const OperationCount& count = kernel.operations[i];
    if (Status status = check_circumstances(kernel, "operation count", i, count.guards, count.loops); !status)
      return status;
  }
  return {};
}

}  // namespace skmd::domain
