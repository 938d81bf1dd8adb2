// SPDX-License-Identifier: Apache-2.0
// Where a kernel may be stopped: in which loops, how often, and whether its items leave together.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/yield/uniformity.h"
#include "compiler/yield/yield.h"

namespace skmd::compiler {

/// What a loop goes on by, where its header alone decides it and computes nothing that could not be computed again: as
/// long as `predicate` holds of `compared` and `bound`. `compared` is `counter`, one of the header's phis, or that made
/// wider; `bound` is computed in front of the loop, or by the header and always the same. Each iteration adds `step` to
/// `counter`, which does not pass the bound unseen.
struct CountedLoop {
  llvm::PHINode* counter = nullptr;  // null: there is no such loop
  llvm::Value* compared = nullptr;
  llvm::Value* bound = nullptr;
  llvm::CmpInst::Predicate predicate = llvm::CmpInst::BAD_ICMP_PREDICATE;
  std::int64_t step = 0;
  unsigned goes_on = 0;  // the header's successor, 0 or 1, that is in the loop
};

/// A loop that gets a yield point: by its blocks, which stay when code is added to other loops.
struct ChosenLoop {
  llvm::BasicBlock* before = nullptr;  // the one block that leads into the loop
  llvm::BasicBlock* header = nullptr;
  llvm::BasicBlock* latch = nullptr;  // the one block that leads back
  llvm::CallBase* barrier = nullptr;  // behind which the point is; null: at the end of an iteration
  std::uint64_t strip = 1;            // iterations between two checks
  CountedLoop counted;                // where strips are longer than an iteration
  std::string place;
};

struct ChosenPoints {
  std::vector<ChosenLoop> loops;  // inner loops before those around them
  bool together = false;
  std::string why_not, detail;  // as of YieldForm
};

/// Chooses yield points of `kernel`, which is canonical; changes nothing.
ChosenPoints choose_points(llvm::Function& kernel, Yields loops, const KernelUniformity& uniformity,
                           llvm::FunctionAnalysisManager& analyses);

/// Why code with `instruction` cannot be stopped: a reason of YieldForm::why_not, and words.
std::optional<std::pair<std::string, std::string>> obstacle_of(const llvm::Instruction& instruction);
bool is_plain_barrier(const llvm::Instruction& instruction);

}  // namespace skmd::compiler
