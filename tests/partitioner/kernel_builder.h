// SPDX-License-Identifier: Apache-2.0
// Short hand for kernels as traits, and a plain interpreter of them: one work-item at a time, bits that wrap.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "partitioner/footprint/footprint.h"

namespace skmd::domain {

/// Failed expectations show ranges, not bytes of the object.
void PrintTo(const RangeSet& set, std::ostream* out);

}  // namespace skmd::domain

namespace skmd::domain::test {

/// Builds the node DAG of one kernel; every function returns the new node.
class KernelBuilder {
 public:
  KernelTraits traits;

  /// A buffer parameter; returns its index.
  std::uint32_t buffer(std::uint64_t bytes);
  /// A local parameter; returns its index. All accesses of local memory are known from now on.
  std::uint32_t local(std::uint64_t bytes);
  /// From now on so many of the buffer's bytes lie before the kernel's pointer.
  void point_inside(std::uint32_t buffer, std::uint64_t before) { arguments_[buffer].before = before; }
  /// A by-value parameter; returns the node that reads it.
  NodeId scalar(std::int64_t value, std::uint8_t bits = 32);

  NodeId node(Op op, std::uint8_t bits, NodeId a = kNoNode, NodeId b = kNoNode, NodeId c = kNoNode);
  NodeId constant(std::int64_t value, std::uint8_t bits = 64);
  NodeId id(Op op, unsigned dim, std::uint8_t bits = 64);
  NodeId gid(unsigned dim = 0) { return id(Op::global_id, dim); }
  NodeId lid(unsigned dim = 0) { return id(Op::local_id, dim); }
  NodeId group(unsigned dim = 0) { return id(Op::group_id, dim); }
  NodeId compare(Predicate predicate, NodeId a, NodeId b);
  NodeId cast(Op op, NodeId a, std::uint8_t bits) { return node(op, bits, a); }
  NodeId binary(Op op, NodeId a, NodeId b) { return node(op, traits.nodes[a].bits, a, b); }
  NodeId add(NodeId a, NodeId b) { return binary(Op::add, a, b); }
  NodeId sub(NodeId a, NodeId b) { return binary(Op::sub, a, b); }
  NodeId mul(NodeId a, NodeId b) { return binary(Op::mul, a, b); }
  NodeId times(NodeId a, std::int64_t k) { return mul(a, constant(k, traits.nodes[a].bits)); }
  NodeId plus(NodeId a, std::int64_t k) { return add(a, constant(k, traits.nodes[a].bits)); }
  std::uint32_t loop(NodeId backedges, bool exact = true);
  NodeId iteration(std::uint32_t loop, std::uint8_t bits = 64);

  /// element `index` of `width` bytes.
  Access& access(AccessKind kind, std::uint32_t buffer, NodeId index, std::uint32_t width = 4);
  Access& read(std::uint32_t buffer, NodeId index, std::uint32_t width = 4);
  /// Guards complete.
  Access& write(std::uint32_t buffer, NodeId index, std::uint32_t width = 4);

  /// Of local memory: of a local parameter, or of variable `buffer` - parameters of the traits.
  Access& local_access(std::uint32_t buffer, NodeId index, std::uint32_t width = 4);

  /// So many operations of every work-item.
  OperationCount& operations(std::uint32_t count);

  [[nodiscard]] std::vector<ArgumentView> arguments() const;
  [[nodiscard]] std::vector<Footprint> evaluate(const NdRange& range, const GroupSpan& span) const;
  [[nodiscard]] std::vector<Footprint> evaluate(const NdRange& range) const;

 private:
  struct Argument {
    bool is_buffer;
    std::uint64_t bytes;
    std::vector<std::byte> value;
    std::uint64_t before = 0;
  };
  std::vector<Argument> arguments_;
};

NdRange range_1d(std::uint64_t global, std::uint64_t local);
NdRange range_2d(std::uint64_t gx, std::uint64_t gy, std::uint64_t lx, std::uint64_t ly);
NdRange range_3d(const Extent3& global, const Extent3& local);

/// What one run of a group span really touches, byte by byte.
struct Touched {
  std::vector<bool> read;
  std::vector<bool> written;  // by accesses of any kind that writes
  std::vector<bool> surely;   // by writes with complete guards
};

/// Runs the traits as a program: loops, guards, accesses; `oracle` gives values for `unknown`, `either` and poison.
/// nullopt if a loop makes more than `most_iterations` in all.
std::optional<std::vector<Touched>> interpret(const KernelTraits& traits, const NdRange& range, const GroupSpan& span,
                                              std::span<const ArgumentView> arguments,
                                              const std::function<std::uint64_t()>& oracle,
                                              std::uint64_t most_iterations = 4096);

}  // namespace skmd::domain::test
