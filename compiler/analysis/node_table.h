// SPDX-License-Identifier: Apache-2.0
// Builds the index DAG of one kernel: equal nodes are one node, constants are folded, and what grows beyond the limit
// becomes unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "partitioner/traits/traits.h"

namespace skmd::compiler {

class NodeTable {
 public:
  /// Nodes are appended to `nodes`, which must outlive the table.
  explicit NodeTable(std::vector<domain::Node>& nodes) : nodes_(nodes) {}

  domain::NodeId constant(std::int64_t value, unsigned bits);
  /// group_id … work_dim: 64 bits wide.
  domain::NodeId geometry(domain::Op op, unsigned dim);
  domain::NodeId argument(unsigned index, unsigned byte, unsigned bits);
  domain::NodeId iteration(unsigned loop, unsigned bits);
  /// Each call gives a value of its own: two unknown values are never known to be equal.
  domain::NodeId unknown(unsigned bits);

  domain::NodeId binary(domain::Op op, domain::NodeId a, domain::NodeId b);
  domain::NodeId cast(domain::Op op, domain::NodeId a, unsigned bits);
  domain::NodeId compare(domain::Predicate predicate, domain::NodeId a, domain::NodeId b);
  domain::NodeId select(domain::NodeId condition, domain::NodeId a, domain::NodeId b);
  domain::NodeId either(domain::NodeId a, domain::NodeId b);

  [[nodiscard]] const domain::Node& at(domain::NodeId id) const { return nodes_[id]; }
  [[nodiscard]] unsigned bits(domain::NodeId id) const { return nodes_[id].bits; }
  [[nodiscard]] bool is_unknown(domain::NodeId id) const { return nodes_[id].op == domain::Op::unknown; }
  /// True if ids, scalars and iterations alone decide the value: no unknown and no either below.
  [[nodiscard]] bool determined(domain::NodeId id) const { return determined_[id]; }

 private:
  struct Hash {
    std::size_t operator()(const domain::Node& node) const;
  };
  domain::NodeId intern(const domain::Node& node);
  [[nodiscard]] bool is_constant(domain::NodeId id, std::int64_t value) const;
  domain::NodeId fold(domain::Op op, domain::NodeId a, domain::NodeId b);
  domain::NodeId low_bits(domain::Op op, const domain::Node& left, domain::NodeId b);
  domain::NodeId simplified(domain::Op op, domain::NodeId a, domain::NodeId b);

  std::vector<domain::Node>& nodes_;
  std::vector<bool> determined_;
  std::unordered_map<domain::Node, domain::NodeId, Hash> ids_;
  std::int64_t next_unknown_ = 0;
};

}  // namespace skmd::compiler
