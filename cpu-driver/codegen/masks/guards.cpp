// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/masks/guards.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "cpu-driver/codegen/masks/masks_constants.h"

namespace skmd::codegen {

namespace {

unsigned cost(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::PHINode>(instruction) || instruction.isTerminator()) return 0;
  if (instruction.isAtomic() || instruction.isVolatile() || instruction.isIntDivRem()) return tuning::kLong;
  if (llvm::isa<llvm::IntrinsicInst>(instruction)) return 1;
  if (llvm::isa<llvm::CallBase>(instruction)) return tuning::kLong;
  return llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction) ? 2 : 1;
}

unsigned cost(const Node& node) {
  if (node.loop != nullptr) return tuning::kLong;
  unsigned sum = 0;
  for (const llvm::Instruction& instruction : *node.block) sum += cost(instruction);
  return sum;
}

}  // namespace

std::vector<bool> choose_guards(const Level& level, const std::vector<bool>& inherited, bool few_questions) {
  const unsigned worth = few_questions ? tuning::kWorthAMissedJump : tuning::kWorthAsking;
  std::vector<unsigned> before{0};  // cost of all nodes before each
  for (const Node& node : level.nodes) before.push_back(before.back() + cost(node));
  std::vector<bool> guarded;
  const llvm::BasicBlock* latch = level.loop != nullptr ? level.loop->getLoopLatch() : nullptr;
  for (unsigned i = 0; i < level.end(); ++i) {
    const Node& node = level.nodes[i];
    if (node.deferred.empty() || node.loop != nullptr) {
      guarded.push_back(false);
      continue;
    }
    const unsigned next = node.deferred.front();
    const bool enters_loop =
        node.next.size() == 1 && node.next[0] != level.end() && level.nodes[node.next[0]].loop != nullptr;
    // Where the loop's rest begins, only lanes that go on are: it will be asked at the end anyway.
    const bool rest = next == level.end() && node.meeting == level.end() && node.block == latch;
    guarded.push_back(enters_loop || (!inherited[i] && !rest && before[next] - before[i] > worth));
  }
  return guarded;
}

}  // namespace skmd::codegen
