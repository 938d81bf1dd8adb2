// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/access_class.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "compiler/analysis/analysis_constants.h"

namespace skmd::compiler {

using domain::kNoNode;
using domain::Node;
using domain::NodeId;
using domain::Op;

namespace {

// A product of leaves, sorted; the empty product is 1.
using Product = std::vector<NodeId>;
// Products with their coefficients: no zero coefficient is kept.
using Polynomial = std::map<Product, std::int64_t>;

void add_to(Polynomial& sum, const Product& product, std::int64_t coefficient) {
  std::int64_t& known = sum[product];
  known = static_cast<std::int64_t>(static_cast<std::uint64_t>(known) + static_cast<std::uint64_t>(coefficient));
  if (known == 0) sum.erase(product);
}

// Offsets as polynomials over the leaves of the DAG. Casts are looked through: this is a classification of how a
// program is written, no proof.
class Reader {
 public:
  explicit Reader(const std::vector<Node>& nodes) : nodes_(nodes) {}

  std::optional<Polynomial> read(NodeId id, unsigned depth = 0) const {
    const Node& node = nodes_[id];
    if (depth > tuning::kMaxPolynomialDepth) return std::nullopt;
    switch (node.op) {
      case Op::constant:
        return constant(node.value);
      case Op::zext:
      case Op::sext:
      case Op::trunc:
        return read(node.a, depth + 1);
      case Op::add:
        return sum(node, 1, depth);
      case Op::sub:
        return sum(node, -1, depth);
      case Op::mul:
        return product(node, depth);
      case Op::group_id:
      case Op::local_id:
      case Op::global_id:
      case Op::local_size:
      case Op::group_count:
      case Op::global_size:
      case Op::global_offset:
      case Op::work_dim:
      case Op::scalar_argument:
      case Op::iteration:
        return Polynomial{{Product{leaf(id)}, 1}};
      default:
        return std::nullopt;
    }
  }

 private:
  static Polynomial constant(std::int64_t value) {
    Polynomial result;
    add_to(result, {}, value);
    return result;
  }

  // The same leaf at another width is the same leaf.
  NodeId leaf(NodeId id) const {
    for (NodeId other = 0; other < id; ++other) {
      Node same = nodes_[other];
      same.bits = nodes_[id].bits;
      if (same == nodes_[id]) return other;
    }
    return id;
  }

  std::optional<Polynomial> sum(const Node& node, std::int64_t sign, unsigned depth) const {
    auto left = read(node.a, depth + 1);
    const auto right = read(node.b, depth + 1);
    if (!left || !right) return std::nullopt;
    for (const auto& [product, coefficient] : *right) add_to(*left, product, sign * coefficient);
    return left->size() > tuning::kMaxProducts ? std::nullopt : left;
  }

  std::optional<Polynomial> product(const Node& node, unsigned depth) const {
    const auto left = read(node.a, depth + 1);
    const auto right = read(node.b, depth + 1);
    if (!left || !right || left->size() * right->size() > tuning::kMaxProducts) return std::nullopt;
    Polynomial result;
    for (const auto& [a, x] : *left) {
      for (const auto& [b, y] : *right) {
        Product both = a;
        both.insert(both.end(), b.begin(), b.end());
        std::sort(both.begin(), both.end());
        add_to(result, both, static_cast<std::int64_t>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y)));
      }
    }
    return result;
  }

  const std::vector<Node>& nodes_;
};

// One term's factors: which ids it has, and the rest.
struct Term {
  Product ids;
  Product rest;
  bool iterates = false;
};

Term split(const Product& product, const std::vector<Node>& nodes) {
  Term term;
  for (const NodeId id : product) {
    const Op op = nodes[id].op;
    const bool is_id = op == Op::group_id || op == Op::local_id || op == Op::global_id;
    (is_id ? term.ids : term.rest).push_back(id);
    term.iterates |= op == Op::iteration;
  }
  return term;
}

// Whether `rest` is `other` times the local size of dimension `dim`.
bool is_times_local_size(Product rest, const Product& other, unsigned dim, const std::vector<Node>& nodes) {
  const auto size = std::find_if(rest.begin(), rest.end(),
                                 [&](NodeId id) { return nodes[id].op == Op::local_size && nodes[id].dim == dim; });
  if (size == rest.end()) return false;
  rest.erase(size);
  return rest == other;
}

// The dimension whose work-groups follow each other in the buffer; 3: the address is the same for all.
std::optional<unsigned> dimension_of(const Polynomial& offset, const std::vector<Node>& nodes) {
  struct Found {
    Op op;
    unsigned dim;
    Product rest;
    std::int64_t coefficient;
  };
  std::vector<Found> found;
  for (const auto& [product, coefficient] : offset) {
    const Term term = split(product, nodes);
    if (term.ids.size() > 1) return std::nullopt;
    if (term.ids.empty() && term.iterates) return std::nullopt;
    if (term.ids.empty()) continue;
    const Node& id = nodes[term.ids.front()];
    found.push_back({id.op, id.dim, term.rest, coefficient});
  }
  if (found.empty()) return 3;
  if (found.size() == 1) return found[0].op == Op::local_id ? std::nullopt : std::optional(found[0].dim);
  // W·w + l written out.
  if (found.size() != 2 || found[0].dim != found[1].dim || found[0].coefficient != found[1].coefficient)
    return std::nullopt;
  const Found& group = found[0].op == Op::group_id ? found[0] : found[1];
  const Found& local = found[0].op == Op::group_id ? found[1] : found[0];
  if (group.op != Op::group_id || local.op != Op::local_id) return std::nullopt;
  const bool global = is_times_local_size(group.rest, local.rest, group.dim, nodes);
  return global ? std::optional(group.dim) : std::nullopt;
}

}  // namespace

domain::AccessClass classify(const domain::KernelTraits& traits) {
  const Reader reader(traits.nodes);
  unsigned kernel_dimension = 3;
  for (const domain::Access& access : traits.accesses) {
    if (access.offset == kNoNode || access.count != kNoNode) return domain::AccessClass::discontiguous;
    const auto offset = reader.read(access.offset);
    const auto dimension = offset ? dimension_of(*offset, traits.nodes) : std::nullopt;
    if (!dimension) return domain::AccessClass::discontiguous;
    if (*dimension == 3) continue;
    if (kernel_dimension != 3 && kernel_dimension != *dimension) return domain::AccessClass::discontiguous;
    kernel_dimension = *dimension;
  }
  return domain::AccessClass::contiguous;
}

}  // namespace skmd::compiler
