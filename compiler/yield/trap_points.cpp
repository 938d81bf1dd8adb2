// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/trap_points.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>

#include <optional>

#include "compiler/yield/points.h"
#include "compiler/yield/trap_code.h"
#include "compiler/yield/trap_loops.h"
#include "compiler/yield/trap_tests.h"
#include "compiler/yield/yield_constants.h"

namespace skmd::compiler {

namespace {

using llvm::Instruction;
using llvm::SCEV;
using llvm::Value;

/// Tests that are made together.
struct Place {
  Instruction* before = nullptr;
  llvm::SmallVector<TrapTest, 4> tests;
  std::string line;
  bool always = false;
};

// Computed earlier, an instruction does nothing else.
bool may_move(const Instruction& instruction) {
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) return !operation->isIntDivRem();
  return llvm::isa<llvm::CastInst, llvm::CmpInst, llvm::SelectInst, llvm::GetElementPtrInst>(instruction);
}

class Chooser {
 public:
  Chooser(llvm::Function& kernel, llvm::BasicBlock& entry, llvm::FunctionAnalysisManager& analyses)
      : kernel_(kernel),
        entry_(entry),
        dominators_(kernel),
        loops_(dominators_),
        assumptions_(kernel),
        library_(analyses.getResult<llvm::TargetLibraryAnalysis>(kernel)),
        evolution_(kernel, library_, assumptions_, dominators_, loops_) {}

  TrapPoints run() {
    made_.only_buffers = true;
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&kernel_);
    for (llvm::BasicBlock* block : order)
      if (block != &entry_)
        for (Instruction& instruction : llvm::make_early_inc_range(*block)) look_at(instruction);
    if (made_.why_not.empty() && places_.size() > tuning::kMaxTrapPoints)
      refuse("no_form_here", "it has " + std::to_string(places_.size()) + " places where it may trap");
    if (!made_.why_not.empty()) return std::move(made_);
    TrapCode code(evolution_, entry_);
    for (Place& place : places_) {
      llvm::IRBuilder<> ir(place.before);
      made_.points.push_back({place.before, code.leaves(ir, place.tests), std::move(place.line)});
    }
    return std::move(made_);
  }

 private:
  void refuse(std::string why_not, std::string detail) {
    if (!made_.why_not.empty()) return;
    made_.why_not = std::move(why_not);
    made_.detail = std::move(detail);
  }

  void look_at(Instruction& instruction) {
    if (auto obstacle = obstacle_of(instruction)) {
      refuse(std::move(obstacle->first), std::move(obstacle->second));
      made_.only_buffers = false;
    }
    if (is_plain_barrier(instruction))
      refuse("divergent_barriers", "items that left it would not come to its barriers");
    InstructionTests found = tests_of(instruction, evolution_);
    if (!found.obstacle.empty()) {
      made_.only_buffers = false;
      refuse("no_form_here", found.obstacle);
    }
    for (TrapTest& test : found.tests) {
      made_.only_buffers = made_.only_buffers && only_buffers(test);
      if (made_.why_not.empty()) add(std::move(test), instruction);
    }
  }

  void add(TrapTest test, Instruction& of) {
    TrapTest hoisted = test;
    Instruction* before = take_out_of_loops(hoisted, of, evolution_, loops_, dominators_);
    const bool out = before != &of && TrapCode::may_compute(hoisted, *before, evolution_, dominators_);
    if (out) test = std::move(hoisted);
    if (!out) before = &of;
    if (is_covered(test, *before)) return;
    if (!test.always)
      for (Place& place : places_)
        if (joins(place, test, *before)) return;
    places_.push_back({before, {}, line_of_trap(of), test.always});
    places_.back().tests.push_back(std::move(test));
  }

  /// Whether a test that was made before says as much.
  bool is_covered(const TrapTest& test, const Instruction& before) {
    return llvm::any_of(places_, [&](const Place& place) {
      if (!dominators_.dominates(place.before, &before)) return false;
      return llvm::any_of(place.tests, [&](const TrapTest& other) { return says(other, test); });
    });
  }

  bool says(const TrapTest& made, const TrapTest& test) {
    if (made.always || test.always) return false;
    if (test.divisor != nullptr) return made.divisor == test.divisor && made.guards == test.guards;
    if (made.divisor != nullptr || made.objects != test.objects) return false;
    if (test.hoisted() || made.hoisted())
      return made.offsets == test.offsets && made.guards == test.guards && made.narrow == test.narrow &&
             made.bytes >= test.bytes;
    const auto behind = distance(made, test);
    return behind && *behind >= -made.from &&
           *behind + static_cast<std::int64_t>(test.bytes) <= static_cast<std::int64_t>(made.bytes) - made.from;
  }

  /// Bytes from the address of one test to that of another; nothing if they are not known.
  std::optional<std::int64_t> distance(const TrapTest& from, const TrapTest& to) {
    if (from.address == to.address) return 0;
    if (from.offset == nullptr || to.offset == nullptr || from.objects != to.objects) return std::nullopt;
    const auto* bytes = llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(to.offset, from.offset));
    if (bytes == nullptr || bytes->getAPInt().getSignificantBits() > 31) return std::nullopt;
    return bytes->getAPInt().getSExtValue();
  }

  /// Adds the test to those of a place before it in the same block, if what it takes is known there.
  bool joins(Place& place, const TrapTest& test, Instruction& before) {
    const bool earlier = !place.always && place.before->getParent() == before.getParent() &&
                         (place.before == &before || place.before->comesBefore(&before));
    if (!earlier) return false;
    if (test.hoisted() || !test.guards.empty()) {
      if (!TrapCode::may_compute(test, *place.before, evolution_, dominators_)) return false;
    } else {
      for (TrapTest& other : place.tests)
        if (widen(other, test)) return true;
      unsigned budget = tuning::kMaxTrapMoved;
      Value* needed = test.divisor != nullptr ? test.divisor : test.address;
      if (!can_be_at(*needed, *place.before, budget)) return false;
      move_to(*needed, *place.before);
    }
    place.tests.push_back(test);
    return true;
  }

  /// All bytes from the first one of both to the last: they are in one piece of memory, or not all of them are inside.
  bool widen(TrapTest& made, const TrapTest& test) {
    if (made.divisor != nullptr || made.hoisted() || test.divisor != nullptr) return false;
    const auto behind = distance(made, test);
    if (!behind) return false;
    const std::int64_t first = std::min(-made.from, *behind);
    const std::int64_t last =
        std::max(static_cast<std::int64_t>(made.bytes) - made.from, *behind + static_cast<std::int64_t>(test.bytes));
    made.from = -first;
    made.bytes = static_cast<std::uint64_t>(last - first);
    return true;
  }

  bool can_be_at(Value& value, const Instruction& place, unsigned& budget) const {
    auto* instruction = llvm::dyn_cast<Instruction>(&value);
    if (instruction == nullptr || dominators_.dominates(instruction, &place)) return true;
    if (budget == 0 || instruction->getParent() != place.getParent() || !may_move(*instruction)) return false;
    --budget;
    return llvm::all_of(instruction->operands(), [&](llvm::Use& use) { return can_be_at(*use, place, budget); });
  }

  void move_to(Value& value, Instruction& place) {
    auto* instruction = llvm::dyn_cast<Instruction>(&value);
    if (instruction == nullptr || dominators_.dominates(instruction, &place)) return;
    for (llvm::Use& operand : instruction->operands()) move_to(*operand, place);
    instruction->moveBefore(place.getIterator());
    instruction->dropPoisonGeneratingFlags();  // what was in front of it may have kept it from running
  }

  llvm::Function& kernel_;
  llvm::BasicBlock& entry_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  llvm::AssumptionCache assumptions_;
  llvm::TargetLibraryInfo& library_;
  llvm::ScalarEvolution evolution_;
  std::vector<Place> places_;
  TrapPoints made_;
};

}  // namespace

TrapPoints add_trap_tests(llvm::Function& kernel, llvm::BasicBlock& entry, llvm::FunctionAnalysisManager& analyses) {
  return Chooser(kernel, entry, analyses).run();
}

}  // namespace skmd::compiler
