// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/points.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <optional>

#include "compiler/ir/builtin.h"
#include "compiler/yield/counted.h"
#include "compiler/yield/yield_constants.h"

namespace skmd::compiler {

bool is_plain_barrier(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return false;
  const llvm::StringRef name = builtin_of(*call).name;
  return name == "barrier" || name == "work_group_barrier";
}

std::optional<std::pair<std::string, std::string>> obstacle_of(const llvm::Instruction& instruction) {
  using llvm::isa;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    if (call->isInlineAsm()) return {{"device_specific_code", "it holds assembly"}};
    if (call->getCalledFunction() == nullptr) return {{"no_form_here", "it calls through a pointer"}};
    const llvm::StringRef name = builtin_of(*call).name;
    const bool collective = name.starts_with("work_group_") && name != "work_group_barrier";
    if (collective || is_sub_group(name) || name.starts_with("async_work_group") || name == "wait_group_events")
      return {{"no_form_here", "it calls " + name.str()}};
    if (!call->getCalledFunction()->isDeclaration()) return {{"no_form_here", "it calls itself"}};
  }
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  const bool stores_pointer = store != nullptr && store->getValueOperand()->getType()->isPtrOrPtrVectorTy();
  const bool loads_pointer = isa<llvm::LoadInst>(instruction) && instruction.getType()->isPtrOrPtrVectorTy();
  if (stores_pointer || loads_pointer || isa<llvm::PtrToIntInst, llvm::IntToPtrInst>(instruction))
    return {{"pointer_in_memory", "it keeps addresses in memory or makes numbers of them"}};
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
  if (variable != nullptr && !variable->isStaticAlloca())
    return {{"no_form_here", "it has a variable whose size is not constant"}};
  return std::nullopt;
}

namespace {

/// Instructions that loops run, as far as they are known.
class Costs {
 public:
  explicit Costs(llvm::ScalarEvolution& evolution, const llvm::LoopInfo& loops)
      : evolution_(evolution), loops_(loops) {}

  /// Of one iteration, loops inside included.
  std::uint64_t of_iteration(const llvm::Loop& loop) {
    std::uint64_t cost = 0;
    for (const llvm::BasicBlock* block : loop.blocks())
      if (loops_.getLoopFor(block) == &loop) cost += block->size();
    for (const llvm::Loop* inner : loop.getSubLoops())
      cost += of_iteration(*inner) * std::min(iterations(*inner).value_or(tuning::kAssumedIterations), kMany);
    return std::min(cost, kMany);
  }
  /// Of all iterations; nothing if their number is not known.
  std::optional<std::uint64_t> of_all(const llvm::Loop& loop) {
    const auto count = iterations(loop);
    if (!count) return std::nullopt;
    for (const llvm::Loop* inner : loop.getSubLoops())
      if (!of_all(*inner)) return std::nullopt;
    return std::min(of_iteration(loop) * std::min(*count, kMany), kMany);
  }

 private:
  static constexpr std::uint64_t kMany = std::uint64_t{1} << 31;  // products of two stay in 64 bits

  std::optional<std::uint64_t> iterations(const llvm::Loop& loop) {
    const unsigned count = evolution_.getSmallConstantMaxTripCount(&loop);
    return count == 0 ? std::nullopt : std::optional<std::uint64_t>(count);
  }

  llvm::ScalarEvolution& evolution_;
  const llvm::LoopInfo& loops_;
};

bool is_atomic(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return instruction.isAtomic() || (call != nullptr && builtin_of(*call).name.starts_with("atomic"));
}

/// An atomic operation that also changes what it reads.
bool is_exchange(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) return true;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return false;
  const llvm::StringRef name = builtin_of(*call).name;
  return name.starts_with("atomic") && !name.starts_with("atomic_load") && !name.starts_with("atomic_work_item_fence");
}

/// A loop that waits for another's store: it touches memory by volatile or atomic accesses alone.
bool polls(const llvm::Loop& loop) {
  bool waits = false;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& instruction : *block) {
      waits = waits || is_atomic(instruction) || instruction.isVolatile();
      if (llvm::isa<llvm::StoreInst>(instruction) && !instruction.isAtomic() && !instruction.isVolatile()) return false;
    }
  return waits;
}

/// A loop that may wait for a lock. An item that is stopped while it has one would keep items of its group that run
/// before it from ever coming to their end.
bool takes_locks(const llvm::Loop& loop) {
  return polls(loop) &&
         llvm::any_of(loop.blocks(), [](const llvm::BasicBlock* block) { return llvm::any_of(*block, is_exchange); });
}

std::string place_of(const llvm::Loop& loop, std::size_t number) {
  const llvm::DebugLoc start = loop.getStartLoc();
  if (start && start.getLine() != 0) return "line " + std::to_string(start.getLine());
  return "loop " + std::to_string(number);
}

class Chooser {
 public:
  Chooser(llvm::Function& kernel, bool every, const KernelUniformity& uniformity,
          llvm::FunctionAnalysisManager& analyses)
      : kernel_(kernel),
        every_(every),
        uniformity_(uniformity),
        loops_(analyses.getResult<llvm::LoopAnalysis>(kernel)),
        costs_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel), loops_) {}

  ChosenPoints run() {
    for (const llvm::Instruction& instruction : llvm::instructions(kernel_)) {
      if (auto obstacle = obstacle_of(instruction))
        return refused(std::move(obstacle->first), std::move(obstacle->second));
      has_barriers_ = has_barriers_ || is_plain_barrier(instruction);
    }
    const auto outer_first = loops_.getLoopsInPreorder();
    std::vector<llvm::Loop*> candidates;
    for (llvm::Loop* loop : llvm::reverse(outer_first))
      if (is_candidate(*loop)) candidates.push_back(loop);
    if (candidates.empty()) return refused("no_form_here", "it has no long loop");
    if (llvm::any_of(outer_first, [](const llvm::Loop* loop) { return takes_locks(*loop); }))
      return refused("groups_wait", "its work-items may wait for locks");
    ChosenPoints chosen;
    chosen.together = has_barriers_ || llvm::all_of(candidates, [&](llvm::Loop* loop) { return runs_together(*loop); });
    for (llvm::Loop* loop : candidates) {
      const bool fits = !chosen.together || barrier_of(*loop) != nullptr || runs_together(*loop);
      if (fits && chosen.loops.size() < tuning::kMaxPoints) chosen.loops.push_back(describe(*loop, chosen));
    }
    if (chosen.loops.empty())
      return refused("divergent_barriers", "it has barriers, and items leave its long loops at different times");
    return chosen;
  }

 private:
  static ChosenPoints refused(std::string why_not, std::string detail) {
    ChosenPoints points;
    points.why_not = std::move(why_not);
    points.detail = std::move(detail);
    return points;
  }

  bool is_candidate(const llvm::Loop& loop) {
    if (loop.getLoopPreheader() == nullptr || loop.getLoopLatch() == nullptr) return false;
    const auto cost = costs_.of_all(loop);
    return every_ || polls(loop) || !cost || *cost > tuning::kShortLoop;
  }

  // Whether all items of a group begin and end each iteration together.
  bool runs_together(const llvm::Loop& loop) const {
    llvm::SmallVector<llvm::BasicBlock*, 8> exits;
    loop.getExitingBlocks(exits);
    return uniformity_.runs_together(*loop.getHeader()) && uniformity_.runs_together(*loop.getLoopLatch()) &&
           llvm::all_of(exits, [&](const llvm::BasicBlock* block) { return uniformity_.leaves_together(*block); });
  }

  // One that each iteration may come to, not inside a loop in this one.
  llvm::CallBase* barrier_of(const llvm::Loop& loop) const {
    for (llvm::BasicBlock* block : loop.blocks())
      if (loops_.getLoopFor(block) == &loop)
        for (llvm::Instruction& instruction : *block)
          if (is_plain_barrier(instruction)) return llvm::cast<llvm::CallBase>(&instruction);
    return nullptr;
  }

  ChosenLoop describe(llvm::Loop& loop, const ChosenPoints& chosen) {
    ChosenLoop made;
    made.before = loop.getLoopPreheader();
    made.header = loop.getHeader();
    made.latch = loop.getLoopLatch();
    // Behind a barrier only where iterations are not known to be made together: at their end not each of them looks.
    made.barrier = chosen.together && !runs_together(loop) ? barrier_of(loop) : nullptr;
    const std::uint64_t instructions = chosen.together ? tuning::kGroupStrip : tuning::kItemStrip;
    if (made.barrier == nullptr && !polls(loop))
      made.strip = std::clamp<std::uint64_t>(instructions / std::max<std::uint64_t>(1, costs_.of_iteration(loop)), 1,
                                             tuning::kMaxStrip);
    if (every_) made.strip = std::min<std::uint64_t>(made.strip, 1 + chosen.loops.size() % 3);
    if (made.strip > 1) made.counted = counted_loop(loop, made.strip);
    made.place = place_of(loop, chosen.loops.size() + 1);
    return made;
  }

  llvm::Function& kernel_;
  const bool every_;  // loop, with a check after a few iterations
  const KernelUniformity& uniformity_;
  const llvm::LoopInfo& loops_;
  Costs costs_;
  bool has_barriers_ = false;
};

}  // namespace

ChosenPoints choose_points(llvm::Function& kernel, Yields loops, const KernelUniformity& uniformity,
                           llvm::FunctionAnalysisManager& analyses) {
  return Chooser(kernel, loops == Yields::every_loop, uniformity, analyses).run();
}

}  // namespace skmd::compiler
