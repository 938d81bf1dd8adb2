// SPDX-License-Identifier: Apache-2.0
// Writes the vector function of a prepared masked function.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

#include <optional>
#include <string>

#include "cpu-driver/codegen/vector/addresses.h"
#include "cpu-driver/codegen/vector/groups.h"
#include "cpu-driver/codegen/vector/lane_code.h"
#include "cpu-driver/codegen/vector/markers.h"
#include "cpu-driver/codegen/vector/private_layout.h"
#include "cpu-driver/codegen/vector/shapes.h"
#include "cpu-driver/codegen/vector/widen.h"

namespace skmd::codegen {

class Widener {
 public:
  /// `target` has no code yet and the parameters that widen.h names.
  Widener(llvm::Function& source, llvm::Function& target, const Shapes& shapes, const PrivateLayout& layout,
          const llvm::DominatorTree& dominators, const WidenOptions& options);

  /// After an error the contents of `target` must not be used.
  domain::Status run();

 private:
  // Values of the source in the target.
  llvm::Value* scalar(llvm::Value* value);  // uniform or linear: lane 0's
  llvm::Value* vector(llvm::Value* value);
  llvm::Value* mask_vector(llvm::Value* mask);           // null: all lanes
  llvm::Value* lane(llvm::Value* value, unsigned lane);  // one lane's
  llvm::Value* check_of(llvm::Value* value);             // null: none is needed
  void set_scalar(llvm::Value& value, llvm::Value* made) { scalars_[&value] = made; }
  void set_vector(llvm::Value& value, llvm::Value* made) { vectors_[&value] = made; }
  void at_definition(llvm::Value* made);

  // Blocks and instructions.
  void make_parameters();
  domain::Status block(llvm::BasicBlock& source);
  domain::Status instruction(llvm::Instruction& source);
  void phi(llvm::PHINode& source);
  void fill_phis();
  domain::Status terminator(llvm::Instruction& source);
  void give_back(llvm::ReturnInst& source);
  void variable(llvm::AllocaInst& source);
  void copy_scalar(llvm::Instruction& source);
  void linear(llvm::Instruction& source);
  llvm::Value* wraps_not(llvm::CastInst& source);
  domain::Status varying(llvm::Instruction& source);
  llvm::Value* widened(llvm::Instruction& source);
  domain::Status unsupported(const llvm::Instruction& source, const char* why);
  void remark(const llvm::Instruction& source, const std::string& text);
  void count_apart(const Access& access) const;

  // Memory (widen_memory.cpp).
  domain::Status load(const Access& access);
  domain::Status store(const Access& access);
  llvm::Value* uniform_load(const Access& access);
  llvm::Value* contiguous_load(const Access& access, llvm::Type* type, bool reversed);
  bool gathers_at_once(const Access& access, llvm::Type* type) const;
  llvm::Value* gather(const Access& access, llvm::Type* type);
  llvm::Value* gather_at(const Access& access, llvm::Align align, llvm::Type* type, std::int64_t delta);
  bool gathers_words(const Access& access, llvm::Align align, llvm::Type* type) const;
  llvm::Value* gather_words(const Access& access, llvm::Type* type, std::int64_t delta);
  llvm::Value* addresses(const Access& access, std::int64_t delta);
  void uniform_store(const Access& access);
  void contiguous_store(const Access& access, llvm::Value* value, bool reversed);
  void scatter(const Access& access, llvm::Value* value);
  void scatter_at(const Access& access, llvm::Align align, llvm::Value* value, std::int64_t delta);
  llvm::Value* first_address(const Access& access, llvm::Type* type, bool reversed);
  llvm::Align lane_align(const Access& access) const;
  llvm::Align piece_align(const Access& access) const;  // of neighbouring lanes' elements
  llvm::Value* idle_place(const Access& access);
  bool all_lanes(llvm::Value* mask) const;
  bool some_lane(llvm::Value* mask, const llvm::Instruction& where);
  bool reads_around(const Access& access);
  int direction(const Access& access) const;  // 1, -1: next to each other; 0: not
  void keep_metadata(const llvm::Instruction& source, llvm::Value* made);

  // Elements that are changed where they are (widen_updates.cpp).
  struct Update {
    llvm::BinaryOperator* operation;
    llvm::Instruction* load;
  };
  void find_updates();
  bool is_update(const Access& load, const Access& store) const;
  void update(const Access& store, const Update& update);
  void update_lane(const Access& store, const Update& update, llvm::Value* pointer, unsigned at);
  llvm::Value* place_of_lane(const Address& address, llvm::AllocaInst* numbers, unsigned at);

  // Small tables (widen_tables.cpp).
  bool looks_up(const Access& access, llvm::Type* type) const;
  llvm::Value* look_up(const Access& access, llvm::Type* type);

  // Groups of accesses (widen_groups.cpp).
  bool grouped(const llvm::Instruction& source);  // whether it is done with its group
  void load_group(const AccessGroup& group);
  llvm::Value* load_piece(const AccessGroup& group);
  llvm::Value* load_words(const AccessGroup& group);
  bool worth_a_branch(const AccessGroup& group) const;
  llvm::Value* every_lane(llvm::Value* mask);
  void store_group(const AccessGroup& group);
  void store_piece(const AccessGroup& group, llvm::Value* wide);
  void store_words(const AccessGroup& group, llvm::Value* wide);
  llvm::Value* part(llvm::Value* wide, unsigned member, unsigned count);
  llvm::Value* group_mask(const AccessGroup& group);

  // Calls (widen_calls.cpp).
  domain::Status call(llvm::CallInst& source);
  domain::Status intrinsic(llvm::IntrinsicInst& source);
  void any(llvm::CallInst& source);
  domain::Status lane_by_lane(llvm::CallInst& source, llvm::Value* mask);
  domain::Status builtin(llvm::CallInst& source);
  llvm::Value* by_parts(llvm::CallInst& source, llvm::ArrayRef<llvm::Value*> arguments, unsigned lanes);
  llvm::AllocaInst* lane_array(llvm::Type* type);

  // Integer division (widen_division.cpp).
  llvm::Value* division(llvm::BinaryOperator& source);
  void scalar_division(llvm::BinaryOperator& source);
  llvm::Value* through_floats(llvm::BinaryOperator& source, llvm::Type* floats);

  llvm::Function& source_;
  llvm::Function& target_;
  const Shapes& shapes_;
  const PrivateLayout& layout_;
  const llvm::DominatorTree& dominators_;
  const WidenOptions& options_;
  const unsigned lanes_;
  const AccessGroups groups_;
  llvm::BasicBlock* prologue_;
  llvm::DenseMap<llvm::BasicBlock*, llvm::BasicBlock*> first_;  // of the target, for each of the source
  llvm::DenseMap<llvm::BasicBlock*, llvm::BasicBlock*> last_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> scalars_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> vectors_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> checks_;
  llvm::DenseMap<const llvm::Instruction*, Update> updates_;  // for each store
  llvm::SmallPtrSet<const llvm::Instruction*, 8> inside_updates_;
  llvm::SmallVector<llvm::CallInst*, 8> inlined_;
  llvm::AllocaInst* idle_ = nullptr;
  Builder builder_;  // at the end of the current block
  Builder side_;     // beside definitions
};

}  // namespace skmd::codegen
