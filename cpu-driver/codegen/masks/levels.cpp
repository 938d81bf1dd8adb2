// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/masks/levels.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>

namespace skmd::codegen {

Levels::Levels(llvm::Function& function, llvm::LoopInfo& loops) : loops_(loops) {
  llvm::DenseMap<const llvm::Loop*, llvm::SmallVector<llvm::BasicBlock*, 8>> blocks;
  for (llvm::BasicBlock& block : function) blocks[loops.getLoopFor(&block)].push_back(&block);
  llvm::SmallVector<llvm::Loop*, 8> order = loops.getLoopsInPreorder();
  for (llvm::Loop* loop : llvm::reverse(order)) add(loop, blocks[loop]);
  add(nullptr, blocks[nullptr]);
}

unsigned Levels::target(const Level& level, const llvm::BasicBlock* block) const {
  if (level.loop != nullptr && (block == level.loop->getHeader() || !level.loop->contains(block))) return level.end();
  const llvm::Loop* loop = loops_.getLoopFor(block);
  if (loop == level.loop) return node(block);
  while (loop->getParentLoop() != level.loop) loop = loop->getParentLoop();
  return node(loop);
}

void Levels::add(llvm::Loop* loop, llvm::ArrayRef<llvm::BasicBlock*> blocks) {
  Level& level = levels_.emplace_back();
  level.loop = loop;
  by_loop_[loop] = &level;
  for (llvm::BasicBlock* block : blocks) level.nodes.push_back({block, nullptr, {}, {}, 0});
  const auto& inner = loop != nullptr ? loop->getSubLoops() : loops_.getTopLevelLoops();
  for (llvm::Loop* child : inner) level.nodes.push_back({child->getHeader(), child, {}, {}, 0});
  const auto index = [&] {
    for (unsigned i = 0; i < level.end(); ++i) {
      const Node& node = level.nodes[i];
      if (node.loop != nullptr)
        loop_node_[node.loop] = i;
      else
        block_node_[node.block] = i;
    }
  };
  index();
  connect(level);
  sort(level);
  index();
  connect(level);
  find_meetings(level);
}

void Levels::connect(Level& level) {
  for (Node& node : level.nodes) {
    llvm::SmallVector<llvm::BasicBlock*, 4> successors;
    if (node.loop != nullptr)
      node.loop->getUniqueExitBlocks(successors);
    else
      llvm::append_range(successors, llvm::successors(node.block));
    node.next.clear();
    for (const llvm::BasicBlock* successor : successors) {
      const unsigned to = target(level, successor);
      if (!llvm::is_contained(node.next, to)) node.next.push_back(to);
    }
  }
}

// Reverse post-order from the level's first node.
void Levels::sort(Level& level) {
  const llvm::BasicBlock* first =
      level.loop != nullptr ? level.loop->getHeader() : &level.nodes.front().block->getParent()->getEntryBlock();
  unsigned start = 0;
  while (level.nodes[start].block != first || level.nodes[start].loop != nullptr) ++start;
  std::vector<unsigned> order;
  std::vector<bool> seen(level.end() + 1);
  seen[level.end()] = true;
  seen[start] = true;
  std::vector<std::pair<unsigned, unsigned>> path{{start, 0}};
  while (!path.empty()) {
    auto& [at, tried] = path.back();
    const auto& next = level.nodes[at].next;
    if (tried == next.size()) {
      order.push_back(at);
      path.pop_back();
      continue;
    }
    // The last successor first: then the first one comes first in the reverse.
    const unsigned to = next[next.size() - 1 - tried++];
    if (!seen[to]) {
      seen[to] = true;
      path.emplace_back(to, 0);
    }
  }
  std::vector<Node> sorted;
  for (const unsigned i : llvm::reverse(order)) sorted.push_back(std::move(level.nodes[i]));
  level.nodes = std::move(sorted);
}

void Levels::find_meetings(Level& level) {
  for (unsigned i = level.end(); i-- > 0;) {
    Node& node = level.nodes[i];
    if (node.next.empty()) {
      node.meeting = level.end();
      continue;
    }
    unsigned common = node.next.front();
    for (unsigned other : node.next)
      while (common != other) {
        if (common < other)
          common = level.nodes[common].meeting;
        else
          other = level.nodes[other].meeting;
      }
    node.meeting = common;
  }
}

}  // namespace skmd::codegen
