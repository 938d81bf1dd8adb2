// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/masks/mask_slots.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Dominators.h>

namespace skmd::codegen {

using llvm::IRBuilderBase;
using llvm::Value;

MaskSlots::MaskSlots(llvm::Function& function, Levels& levels, Slots& slots, Value& live)
    : function_(function), levels_(levels), slots_(slots) {
  const llvm::DominatorTree tree(function);
  for (const Level& level : levels.all()) find_owners(level, tree);
  for (const Level& level : llvm::reverse(levels.all())) {
    if (level.loop == nullptr) start_[&level] = &live;
    prepare(level);
  }
}

void MaskSlots::find_owners(const Level& level, const llvm::DominatorTree& tree) {
  std::vector<unsigned>& owners = owners_[&level];
  for (unsigned i = 0; i < level.end(); ++i) {
    const Node& node = level.nodes[i];
    unsigned owner = i;
    if (node.deferred.empty()) {
      owner = kStart;
    } else {
      const llvm::BasicBlock* dominator = tree.getNode(node.block)->getIDom()->getBlock();
      const unsigned before = dominator == level.nodes[0].block ? 0 : levels_.target(level, dominator);
      if (level.nodes[before].meeting == i) owner = owners[before];
    }
    owners.push_back(owner);
  }
  owners.push_back(level.end());
}

void MaskSlots::prepare(const Level& level) {
  llvm::BasicBlock* first = level.loop != nullptr ? level.loop->getHeader() : &function_.getEntryBlock();
  llvm::IRBuilder<> ir(first, first->begin());
  if (level.loop != nullptr && level.divergent) {
    again_[&level] = slots_.create(*ir.getFalse(), "again");
    start_[&level] = ir.CreateLoad(ir.getInt1Ty(), again_[&level], "live");
  } else if (level.loop != nullptr) {
    start_[&level] = at(ir, levels_.of(level.loop->getParentLoop()), levels_.node(level.loop));
  }
  std::vector<llvm::AllocaInst*>& kept = kept_[&level];
  for (unsigned i = 0; i <= level.end(); ++i) {
    const bool used = owner(level, i) == i && (i != level.end() || level.divergent);
    kept.push_back(used ? slots_.create(*ir.getFalse(), "mask") : nullptr);
    if (used && level.loop != nullptr) ir.CreateStore(ir.getFalse(), kept.back());
  }
}

Value* MaskSlots::at(IRBuilderBase& ir, const Level& level, unsigned node) {
  const unsigned from = owner(level, node);
  if (from == kStart) return start_[&level];
  return ir.CreateLoad(ir.getInt1Ty(), kept_[&level][from], "mask");
}

void MaskSlots::send(IRBuilderBase& ir, const Level& level, unsigned node, Value& mask, bool more) {
  if (node != level.end() && level.nodes[node].loop != nullptr) {
    const Level& inner = levels_.of(level.nodes[node].loop);
    if (inner.divergent) ir.CreateStore(&mask, again_[&inner]);
  }
  if (owner(level, node) != node) return;
  llvm::AllocaInst* slot = kept_[&level][node];
  Value* all = more ? ir.CreateOr(ir.CreateLoad(ir.getInt1Ty(), slot), &mask) : &mask;
  ir.CreateStore(all, slot);
}

}  // namespace skmd::codegen
