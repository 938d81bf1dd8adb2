// SPDX-License-Identifier: Apache-2.0
// LLVM values as nodes of the index DAG. Instructions are translated one by one, each with its width; scalar evolution
// is used for inductions, trip counts and values after a loop. All other values become unknown.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include <optional>
#include <vector>

#include "compiler/analysis/kernel_view.h"
#include "compiler/analysis/node_table.h"

namespace skmd::compiler {

/// An image without samples: how many coordinates an element has, an array's layer included.
struct ImageType {
  unsigned dimensions = 0;
  bool read_write = false;
};
/// Nothing for other types.
std::optional<ImageType> image_type_of(const llvm::Type* type);

/// The operation that an instruction of IR is in the DAG, for scalars and for each lane of vectors.
std::optional<domain::Op> op_of(const llvm::BinaryOperator& operation);

domain::Predicate predicate_of(llvm::CmpInst::Predicate predicate);

/// A condition "x < counter" on the counter of a loop that shrinks 2^`doublings` times in every pass: so many times
/// fewer values of x pass it each time.
struct Shrinking {
  unsigned loop = 0;
  unsigned doublings = 0;
  domain::Guard first;  // the condition in the loop's first pass
};

class Expressions {
 public:
  Expressions(const KernelView& view, NodeTable& nodes, std::vector<domain::Loop>& loops)
      : view_(view), nodes_(nodes), loops_(loops) {}

  /// Valid wherever `value` may be used: iterations are of loops around its definition.
  domain::NodeId of(llvm::Value* value);
  /// The value that `scev` has inside `scope` (null: outside all loops); unknown if it depends on the progress of a
  /// loop that is not around `scope`.
  domain::NodeId of(const llvm::SCEV* scev, const llvm::Loop* scope);
  /// Element `index` of an integer vector.
  domain::NodeId lane(llvm::Value* vector, unsigned index);
  /// The index of `loop` in the traits; outer loops get theirs first.
  unsigned index_of(const llvm::Loop* loop);
  [[nodiscard]] bool is_exact(const llvm::Loop* loop) { return loops_[index_of(loop)].exact; }
  /// Nothing for other conditions, and where ids and scalars do not decide what passes the first time.
  std::optional<Shrinking> shrinking(llvm::Value* condition, bool expected);
  /// An iteration count that is no loop of the IR, for a builtin that walks memory.
  unsigned add_loop(domain::NodeId backedges);

  NodeTable& nodes() { return nodes_; }
  const KernelView& view() const { return view_; }

 private:
  domain::NodeId instruction(llvm::Instruction& instruction);
  domain::NodeId operation(llvm::BinaryOperator& operation);
  domain::NodeId comparison(llvm::ICmpInst& compare);
  domain::NodeId cast(llvm::CastInst& cast);
  domain::NodeId phi(llvm::PHINode& phi);
  domain::NodeId incoming(llvm::PHINode& phi, unsigned index);
  domain::NodeId diamond(llvm::PHINode& phi);
  domain::NodeId call(llvm::CallInst& call);
  domain::NodeId geometry(llvm::CallInst& call, llvm::StringRef name);
  domain::NodeId global_linear_id();
  domain::NodeId local_linear_id();
  domain::NodeId by_value(llvm::Value* pointer, unsigned byte, unsigned bits);
  domain::NodeId lane(llvm::ExtractElementInst& extract);
  domain::NodeId lane(llvm::Value* vector, unsigned index, unsigned depth);
  domain::NodeId image_extent(const llvm::CallBase& call, unsigned dimension, unsigned bits);
  domain::NodeId image_query(const llvm::CallBase& call, llvm::StringRef name);
  domain::NodeId translated(const llvm::SCEV* scev, const llvm::Loop* scope);
  domain::NodeId nary(const llvm::SCEV* scev, domain::Op op, const llvm::Loop* scope);
  domain::NodeId counted(const llvm::Loop* loop, bool& exact);
  domain::NodeId limited(const llvm::Loop* loop);
  domain::NodeId scaled(const llvm::Loop* loop, unsigned& doublings);
  domain::NodeId recurrence(const llvm::SCEVAddRecExpr* scev, const llvm::Loop* scope);

  const KernelView& view_;
  NodeTable& nodes_;
  std::vector<domain::Loop>& loops_;
  llvm::DenseMap<llvm::Value*, domain::NodeId> known_;
  llvm::DenseMap<std::pair<const llvm::SCEV*, const llvm::Loop*>, domain::NodeId> known_scevs_;
  llvm::DenseMap<const llvm::Loop*, unsigned> loop_index_;
  unsigned depth_ = 0;
};

}  // namespace skmd::compiler
