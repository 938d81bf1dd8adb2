// SPDX-License-Identifier: Apache-2.0
// A function as a tree of levels: the function itself and each loop. What happens once per run of a level, blocks and
// whole inner loops, are its nodes; without the way back they form an acyclic graph, kept in topological order.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>

#include <deque>
#include <vector>

namespace skmd::codegen {

struct Node {
  llvm::BasicBlock* block = nullptr;  // of an inner loop: its header
  llvm::Loop* loop = nullptr;         // the inner loop that this node stands for
  llvm::SmallVector<unsigned, 2> next;
  /// Nodes that some lanes may be on their way to while others run this one (Divergence fills it); ascending.
  llvm::SmallVector<unsigned, 2> deferred;
  /// The next node that all lanes of this node reach in this run of the level; end() if there is none.
  unsigned meeting = 0;
};

struct Level {
  llvm::Loop* loop = nullptr;  // null: the function
  std::vector<Node> nodes;
  /// Lanes may leave this loop in different iterations, or at different places of one.
  bool divergent = false;

  /// The end of one run of the level: the back edge to the header and all exits.
  [[nodiscard]] unsigned end() const { return static_cast<unsigned>(nodes.size()); }
};

class Levels {
 public:
  /// `function` is reducible and has no unreachable blocks.
  Levels(llvm::Function& function, llvm::LoopInfo& loops);

  Level& of(const llvm::Loop* loop) { return *by_loop_.find(loop)->second; }
  Level& of(const llvm::BasicBlock* block) { return of(loops_.getLoopFor(block)); }
  /// Inner levels come before those around them.
  std::deque<Level>& all() { return levels_; }

  /// The node of `block` in its own level, and of `loop` in the level around it.
  unsigned node(const llvm::BasicBlock* block) const { return block_node_.find(block)->second; }
  unsigned node(const llvm::Loop* loop) const { return loop_node_.find(loop)->second; }
  /// The node of `level` to which a jump to `block` from inside it leads; end() for the outside.
  unsigned target(const Level& level, const llvm::BasicBlock* block) const;

 private:
  void add(llvm::Loop* loop, llvm::ArrayRef<llvm::BasicBlock*> blocks);
  void connect(Level& level);
  static void sort(Level& level);
  static void find_meetings(Level& level);

  llvm::LoopInfo& loops_;
  std::deque<Level> levels_;
  llvm::DenseMap<const llvm::Loop*, Level*> by_loop_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> block_node_;
  llvm::DenseMap<const llvm::Loop*, unsigned> loop_node_;
};

}  // namespace skmd::codegen
