// SPDX-License-Identifier: Apache-2.0
// Writes the loops around regions: groups, then for each region the items of a group (group.h).
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cpu-driver/codegen/groups/group.h"
#include "cpu-driver/codegen/item/regions.h"

namespace skmd::codegen {

/// One loop, from its header to where it goes on.
struct Counter {
  llvm::BasicBlock* header = nullptr;
  llvm::BasicBlock* latch = nullptr;
  llvm::PHINode* value = nullptr;
};

/// One group after the other. Used once.
class GroupBuilder {
 public:
  GroupBuilder(const llvm::Function& kernel, const std::string& symbol, const Regions& regions, const GroupCode& code);
  GroupBuilder(const GroupBuilder&) = delete;
  GroupBuilder& operator=(const GroupBuilder&) = delete;
  virtual ~GroupBuilder() = default;

  llvm::Function* build();

 protected:
  using BasicBlock = llvm::BasicBlock;
  using Builder = llvm::IRBuilder<>;
  using Value = llvm::Value;

  /// From entry_, with what every group is given, to exit_.
  virtual void build_groups();
  /// The items of a group through the region `number`.
  virtual void build_items(BasicBlock* from, BasicBlock* to, unsigned number);
  /// Where a group goes that comes to `target`, the beginning of region `to`, from region `from`.
  virtual BasicBlock* way(unsigned from, unsigned to, BasicBlock* target);

  void build_regions(BasicBlock* from, BasicBlock* to);
  /// Presets the next region to kEnd, for regions that store none, and loads the group values that live across barriers
  /// once.
  void begin_region(Builder& ir);
  /// The rows of a group, from `from`: `z`, `y`; their items are to go between y's header and its latch.
  struct Rows {
    Counter z, y;
  };
  Rows open_rows(BasicBlock* from);
  void close_rows(const Rows& rows, BasicBlock* to, unsigned rows_at_once);

  BasicBlock* block(const char* name) { return BasicBlock::Create(context_, name, made_); }
  Value* field(std::size_t offset);
  /// Every size is at least 1, so loops are entered without asking.
  Counter open(const char* name, Value* start, BasicBlock* from);
  static void close(const Counter& counter, Value* end, BasicBlock* to, std::uint64_t step = 1);
  /// What regions are given; `value` as in item.h.
  Value*& given(unsigned value) { return values_[arguments_ + value]; }
  /// The group whose id in each dimension is `ids`.
  void give_group(Builder& ir, const std::array<Value*, 3>& ids);
  /// `more`: what this form of the region takes besides.
  void call(llvm::Function* code, Builder& ir, Value* x, llvm::ArrayRef<Value*> more);

  const llvm::Function& kernel_;
  llvm::LLVMContext& context_;
  const Regions& regions_;
  const GroupCode& code_;
  unsigned arguments_;
  Builder ir_;
  llvm::Function* made_ = nullptr;
  BasicBlock *entry_ = nullptr, *exit_ = nullptr;
  std::vector<Value*> values_;  // what regions are given

 private:
  void fields(unsigned to, std::size_t offset);
  void load_frame();
  Value* pad(Value* row);
  void load_arguments();
  Value* value_of(const llvm::Argument& argument, Value* bytes);
  void make_group_values();
  void next_group(const Counter& group, const std::array<llvm::PHINode*, 3>& ids);
  /// A vector of i1: whether the lane is one of the first `count`.
  static Value* live_lanes(Builder& ir, Value* count, unsigned width);
  void build_row(BasicBlock* from, BasicBlock* to, const RegionCode& code);
  void build_vectors(Builder& ir, BasicBlock* to, Value* end, const RegionCode& code);
  void build_chosen_row(BasicBlock* from, BasicBlock* to, const RegionCode& code);
  /// Where a piece's flags and places go, null if there are none of these, and whether many items will run, an i1.
  struct ChoiceOfItems {
    Value *flags = nullptr, *places = nullptr, *often = nullptr;
  };
  void build_choice(Builder& ir, BasicBlock* to, const RegionCode& code, Value* begin, Value* end,
                    const ChoiceOfItems& choice);
  /// The items of a piece of a row, from `begin`, that run: i64 `count`, and i32 `list` of their distances from there.
  /// i64 `places` by distance: what they read first; null: not known.
  struct ChosenItems {
    Value *begin = nullptr, *count = nullptr, *list = nullptr, *places = nullptr;
  };
  void list_chosen(Builder& ir, BasicBlock* to, const ChosenItems& chosen, Value* first, Value* bits);
  void compress_chosen(Builder& ir, BasicBlock* to, const ChosenItems& chosen, Value* first, Value* set);
  void run_chosen(Builder& ir, BasicBlock* to, const RegionCode& code, const ChosenItems& chosen);
  void items(llvm::Function* code, BasicBlock* from, BasicBlock* to, Value* begin, Value* end, std::uint64_t step);
  /// The same, written out.
  void few_items(llvm::Function* code, BasicBlock* from, BasicBlock* to, Value* begin, Value* end, std::uint64_t step);

  Value* padded_ = nullptr;  // items of a row, with padding
  Value* next_ = nullptr;
  std::vector<Value*> ins_, outs_, in_values_;
  std::vector<llvm::CallInst*> calls_;
};

}  // namespace skmd::codegen
