// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/operations.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <cmath>

#include "compiler/analysis/analysis_constants.h"
#include "compiler/analysis/expand_builtins.h"
#include "compiler/ir/builtin.h"
#include "compiler/ir/lanes.h"

namespace skmd::compiler {

using domain::Guard;
using domain::OperationCount;

namespace {

bool is_free(llvm::StringRef name) {
  return is_geometry(name) || name.starts_with("as_") || name == "__translate_sampler_initializer";
}

// Builtins that are an instruction or a few on most devices.
bool is_simple(llvm::StringRef name) {
  if (is_barrier(name) || is_silent(name)) return true;
  if (name.starts_with("convert_") || name.starts_with("vload") || name.starts_with("vstore")) return true;
  return llvm::StringSwitch<bool>(name)
      .Cases({"fma", "mad", "fabs", "fmin", "fmax", "maxmag"}, true)
      .Cases({"min", "max", "clamp", "abs", "abs_diff", "minmag"}, true)
      .Cases({"mad24", "mul24", "mul_hi", "mad_hi", "mad_sat", "add_sat"}, true)
      .Cases({"sub_sat", "hadd", "rhadd", "rotate", "popcount", "clz"}, true)
      .Cases({"ctz", "select", "bitselect", "sign", "step", "mix"}, true)
      .Cases({"floor", "ceil", "trunc", "rint", "round", "copysign"}, true)
      .Cases({"isequal", "isnotequal", "isgreater", "isgreaterequal", "isless", "islessequal"}, true)
      .Cases({"isnan", "isinf", "isfinite", "signbit", "any", "all"}, true)
      .Cases({"dot", "cross", "shuffle", "shuffle2", "upsample", "degrees", "radians"}, true)
      .Default(false);
}

// The elements that a builtin works on: of its result, or of what it takes (dot, vstore).
/// Of its result and its arguments the most.
std::uint32_t most_lanes_of(const llvm::CallBase& call) {
  std::uint32_t lanes = lanes_of(call.getType());
  for (const llvm::Value* argument : call.args()) lanes = std::max(lanes, lanes_of(argument->getType()));
  return lanes;
}

std::uint32_t operations_of_intrinsic(const llvm::IntrinsicInst& intrinsic) {
  if (const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&intrinsic)) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
    if (length == nullptr) return 1;
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(length->getZExtValue() / tuning::kBytesAtOnce, 1, UINT16_MAX));
  }
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::pow:
    case llvm::Intrinsic::powi:
    case llvm::Intrinsic::exp:
    case llvm::Intrinsic::exp2:
    case llvm::Intrinsic::log:
    case llvm::Intrinsic::log2:
    case llvm::Intrinsic::log10:
    case llvm::Intrinsic::sin:
    case llvm::Intrinsic::cos:
      return tuning::kHeavyOperation * most_lanes_of(intrinsic);
    default:
      // Lifetimes, assumptions and the like have no result and make no code.
      return intrinsic.getType()->isVoidTy() ? 0 : most_lanes_of(intrinsic);
  }
}

std::uint32_t operations_of_call(const llvm::CallBase& call) {
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) return operations_of_intrinsic(*intrinsic);
  const llvm::StringRef name = builtin_of(call).name;
  if (is_free(name)) return 0;
  return is_simple(name) || name == kStoreOfThree ? most_lanes_of(call) : tuning::kHeavyOperation * most_lanes_of(call);
}

// Blocks of equal circumstances together, in the order in which they are met.
class Counts {
 public:
  explicit Counts(std::vector<OperationCount>& counts) : counts_(counts) {}

  void add(std::uint32_t operations, std::vector<Guard> guards, std::vector<std::uint32_t> loops) {
    if (counts_.size() >= tuning::kMaxCounts) guards.clear();
    for (OperationCount& count : counts_) {
      if (count.loops != loops || count.guards != guards) continue;
      count.operations += operations;
      return;
    }
    counts_.push_back({operations, std::move(guards), std::move(loops)});
  }

 private:
  std::vector<OperationCount>& counts_;
};

std::vector<std::uint32_t> loops_around(const llvm::BasicBlock& block, Expressions& expressions) {
  std::vector<std::uint32_t> loops;
  for (const llvm::Loop* loop = expressions.view().loops.getLoopFor(&block); loop != nullptr;
       loop = loop->getParentLoop()) {
    loops.insert(loops.begin(), expressions.index_of(loop));
  }
  return loops;
}

// Of a reduction's tree, for (s = n / 2; s > 0; s /= 2) if (id < s) …, each pass lets half of the items through that
// the one before did. All together are 1 + 1/2 + 1/4 + …, or about 2 times the first pass.
std::uint32_t count_shrinking(std::uint32_t operations, const llvm::BasicBlock& block, Expressions& expressions,
                              Circumstances& around) {
  for (const Condition& condition : dominating_conditions(&block, expressions.view())) {
    const auto shrinking = expressions.shrinking(condition.value, condition.expected);
    if (!shrinking) continue;
    const auto removed = std::erase(around.loops, shrinking->loop);
    if (removed == 0) continue;
    around.guards.push_back(shrinking->first);
    const double factor = std::exp2(shrinking->doublings);
    operations = static_cast<std::uint32_t>(std::lround(operations * factor / (factor - 1)));
  }
  return operations;
}

}  // namespace

std::uint32_t operations_of(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return operations_of_call(*call);
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction)) return branch->isConditional() ? 1 : 0;
  switch (instruction.getOpcode()) {
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem:
      return tuning::kHeavyOperation * lanes_of(instruction.getType());
    case llvm::Instruction::AtomicRMW:
    case llvm::Instruction::AtomicCmpXchg:
      return tuning::kHeavyOperation;
    case llvm::Instruction::PHI:
    case llvm::Instruction::Alloca:
    case llvm::Instruction::GetElementPtr:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
    case llvm::Instruction::BitCast:
    case llvm::Instruction::AddrSpaceCast:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::Freeze:
    case llvm::Instruction::ExtractElement:
    case llvm::Instruction::InsertElement:
    case llvm::Instruction::ShuffleVector:
    case llvm::Instruction::ExtractValue:
    case llvm::Instruction::InsertValue:
    case llvm::Instruction::Unreachable:
      return 0;
    case llvm::Instruction::Store:
    case llvm::Instruction::ICmp:
    case llvm::Instruction::FCmp:
      return lanes_of(instruction.getOperand(0)->getType());
    default:
      return lanes_of(instruction.getType());
  }
}

void count_operations(const KernelView& view, const ControlDependence& control, const Influences& influences,
                      Expressions& expressions, domain::KernelTraits& traits) {
  Counts counts(traits.operations);
  const bool follow = view.function.size() <= tuning::kMaxGuardedBlocks;
  for (llvm::BasicBlock& block : view.function) {
    if (!view.dominators.isReachableFromEntry(&block)) continue;
    const llvm::Loop* loop = view.loops.getLoopFor(&block);
    const bool is_header = loop != nullptr && loop->getHeader() == &block;
    if (is_header && (influences.on(&block) & (kFromMemory | kFromFloat)) != 0) {
      traits.facts |= domain::kFactDataDecidesWork;
    }
    std::uint32_t operations = 0;
    for (const llvm::Instruction& instruction : block) operations += operations_of(instruction);
    if (operations == 0) continue;
    if (!follow) {
      counts.add(operations, {}, loops_around(block, expressions));
      continue;
    }
    Circumstances around = circumstances_of(&block, control, expressions);
    std::erase_if(around.guards, [&](const Guard& guard) { return !expressions.nodes().determined(guard.node); });
    operations = count_shrinking(operations, block, expressions, around);
    counts.add(operations, std::move(around.guards), std::move(around.loops));
  }
}

}  // namespace skmd::compiler
