// SPDX-License-Identifier: Apache-2.0
// Which values are the same for all work-items of a group.
#pragma once

#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <memory>

namespace skmd::codegen {

/// Whose values are compared: of one group's items, or of those of all groups that are neighbours in dimension 0.
enum class Among : std::uint8_t { one_group, neighbouring_groups };

class GroupUniformity {
 public:
  /// `item`: item.h or a region of it, in simplified, closed form; `arguments`: how many the kernel has.
  GroupUniformity(llvm::Function& item, unsigned arguments, Among among = Among::one_group);

  /// Where `value` is defined, and behind the loops that it is defined in where it is taken out by a phi.
  [[nodiscard]] bool is_uniform(const llvm::Value& value) const { return info_->isUniform(&value); }
  /// Whether all items that reach `branch` go the same way.
  [[nodiscard]] bool is_uniform_branch(const llvm::Instruction& branch) const;

 private:
  std::unique_ptr<llvm::FunctionAnalysisManager> analyses_;  // with a target of our own
  llvm::UniformityInfo* info_ = nullptr;
};

}  // namespace skmd::codegen
