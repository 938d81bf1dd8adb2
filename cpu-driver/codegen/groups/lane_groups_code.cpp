// SPDX-License-Identifier: Apache-2.0
// The loops around lane groups.
#include <llvm/IR/IRBuilder.h>

#include <cstddef>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/groups/group_builder.h"
#include "cpu-driver/codegen/groups/lane_groups.h"
#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/loops/transpose.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

class LaneGroupsBuilder : public GroupBuilder {
 public:
  LaneGroupsBuilder(const llvm::Function& kernel, const std::string& symbol, const Regions& regions,
                    const GroupCode& code, const LaneGroups& lanes, llvm::Function& single)
      : GroupBuilder(kernel, symbol, regions, code), lanes_(lanes), single_(single) {}

 protected:
  void build_groups() override {
    find_memory();
    Value* last = made_->getArg(2);
    BasicBlock *rows = block("rows"), *next_row = block("next_row");
    ir_.CreateCondBr(ir_.CreateICmpULT(made_->getArg(1), last), rows, exit_);
    ir_.SetInsertPoint(rows);
    llvm::PHINode* first = ir_.CreatePHI(ir_.getInt64Ty(), 2, "first");
    first->addIncoming(made_->getArg(1), entry_);
    Value* row = ir_.CreateUDiv(first, given(kGroups));
    const std::array<Value*, 3> ids = {ir_.CreateURem(first, given(kGroups)), ir_.CreateURem(row, given(kGroups + 1)),
                                       ir_.CreateUDiv(row, given(kGroups + 1))};
    Value* count = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, ir_.CreateSub(last, first),
                                             ir_.CreateSub(given(kGroups), ids[0]));
    build_row_of_groups(ids, first, count, next_row);
    ir_.SetInsertPoint(next_row);
    Value* next = ir_.CreateAdd(first, count, "", true, true);
    first->addIncoming(next, next_row);
    ir_.CreateCondBr(ir_.CreateICmpULT(next, last), rows, exit_);
  }

  void build_items(BasicBlock* from, BasicBlock* to, unsigned number) override {
    if (lanes_.regions[number] == nullptr) {
      build_each_group(from, to, number);
    } else {
      build_all_groups(from, to, number);
    }
  }

  BasicBlock* way(unsigned from, unsigned to, BasicBlock* target) override {
    const bool was_interleaved = lanes_.regions[from] != nullptr;
    const bool is_interleaved = lanes_.regions[to] != nullptr;
    if (was_interleaved == is_interleaved) return target;
    Crossing& crossing = is_interleaved ? to_interleaved_ : to_pieces_;
    if (crossing.begin == nullptr) open_crossing(crossing, is_interleaved);
    BasicBlock* between = block("cross");
    Builder(between).CreateBr(crossing.begin);
    crossing.to->addIncoming(ir_.getInt32(to), between);
    if (crossing.choice->findCaseValue(ir_.getInt32(to)) == crossing.choice->case_default())
      crossing.choice->addCase(ir_.getInt32(to), target);
    return between;
  }

 private:
  /// All ways from regions of one layout to those of the other: the code is long.
  struct Crossing {
    BasicBlock* begin = nullptr;
    llvm::PHINode* to = nullptr;  // the region
    llvm::SwitchInst* choice = nullptr;
  };

  void open_crossing(Crossing& crossing, bool interleave) {
    crossing.begin = block("transpose");
    BasicBlock *end = block("transposed"), *nowhere = block("nowhere");
    Builder(nowhere).CreateUnreachable();
    crossing.to = Builder(crossing.begin).CreatePHI(ir_.getInt32Ty(), 2, "to");
    build_transposition(layouts_, interleave, crossing.begin, end);
    crossing.choice = Builder(end).CreateSwitch(crossing.to, nowhere);
  }

  void find_memory() {
    Value* begin = ir_.CreatePtrAdd(made_->getArg(3), field(offsetof(cpu::SpanFrame, lanes_offset)));
    layouts_.groups = lanes_.groups;
    layouts_.element = lanes_.element;
    layouts_.lanes = lanes_.lanes;
    layouts_.bytes = field(offsetof(cpu::SpanFrame, lane_bytes));
    layouts_.interleaved = begin;
    layouts_.pieces =
        ir_.CreatePtrAdd(begin, ir_.CreateMul(layouts_.bytes, ir_.getInt64(lanes_.groups), "", true, true));
    layouts_.distance = ir_.CreateAdd(layouts_.bytes, ir_.getInt64(cpu::kBetweenLanes), "", true, true);
    for (const llvm::Argument& argument : kernel_.args())
      if (is_local(argument)) locals_.push_back({argument.getArgNo(), offset_of(values_[argument.getArgNo()])});
  }

  static bool is_local(const llvm::Argument& argument) {
    return argument.getType()->isPointerTy() && argument.getType()->getPointerAddressSpace() == kLocalSpace;
  }

  Value* offset_of(Value* place) {
    return ir_.CreateSub(ir_.CreatePtrToInt(place, ir_.getInt64Ty()),
                         ir_.CreatePtrToInt(given(kLocals), ir_.getInt64Ty()));
  }

  // The groups of one row from `first`, whose ids are `ids`, on.
  void build_row_of_groups(const std::array<Value*, 3>& ids, Value* first, Value* count, BasicBlock* to) {
    BasicBlock *together = block("together"), *left = block("left"), *alone = block("alone");
    Value* whole = ir_.CreateAnd(count, ~std::uint64_t{lanes_.groups - 1});
    ir_.CreateCondBr(ir_.CreateIsNotNull(whole), together, left);
    const Counter group = open("group", ir_.getInt64(0), together);
    ir_.SetInsertPoint(group.header);
    ids_ = {ir_.CreateAdd(ids[0], group.value, "", true, true), ids[1], ids[2]};
    build_regions(group.header, group.latch);
    close(group, whole, left, lanes_.groups);
    ir_.SetInsertPoint(left);
    ir_.CreateCondBr(ir_.CreateICmpNE(whole, count), alone, to);
    ir_.SetInsertPoint(alone);
    ir_.CreateCall(&single_, {made_->getArg(0), ir_.CreateAdd(first, whole, "", true, true),
                              ir_.CreateAdd(first, count, "", true, true), made_->getArg(3)});
    ir_.CreateBr(to);
  }

  void give_locals(Builder& ir, Value* begin, unsigned factor) {
    llvm::Type* type = ir.getPtrTy(kLocalSpace);
    given(kLocals) = ir.CreateAddrSpaceCast(begin, type);
    for (const auto& [argument, offset] : locals_)
      values_[argument] = ir.CreateAddrSpaceCast(
          ir.CreatePtrAdd(begin, ir.CreateMul(offset, ir.getInt64(factor), "", true, true)), type);
  }

  void build_each_group(BasicBlock* from, BasicBlock* to, unsigned number) {
    const Counter group = open("lane", ir_.getInt64(0), from);
    Builder ir(group.header);
    give_group(ir, {ir.CreateAdd(ids_[0], group.value, "", true, true), ids_[1], ids_[2]});
    give_locals(ir, ir.CreatePtrAdd(layouts_.pieces, ir.CreateMul(layouts_.distance, group.value, "", true, true)), 1);
    GroupBuilder::build_items(group.header, group.latch, number);
    close(group, ir_.getInt64(lanes_.groups), to);
  }

  void build_all_groups(BasicBlock* from, BasicBlock* to, unsigned number) {
    Builder ir(from);
    give_group(ir, ids_);
    give_locals(ir, layouts_.interleaved, lanes_.groups);
    begin_region(ir);
    const Rows rows = open_rows(from);
    const Counter item = open("item", ir_.getInt64(0), rows.y.header);
    ir.SetInsertPoint(item.header);
    given(kRow) = item.value;
    call(lanes_.regions[number], ir, ir_.getInt64(0), {});
    ir.CreateBr(item.latch);
    close(item, given(kLocalSize), rows.y.latch);
    close_rows(rows, to, 1);
  }

  const LaneGroups& lanes_;
  llvm::Function& single_;
  TwoLayouts layouts_;
  struct Local {
    unsigned argument;
    Value* offset;  // in a group's local memory
  };
  std::vector<Local> locals_;
  std::array<Value*, 3> ids_{};  // of the first group
  Crossing to_interleaved_, to_pieces_;
};

}  // namespace

llvm::Function* make_lane_group_function(const llvm::Function& kernel, const std::string& symbol,
                                         const Regions& regions, const GroupCode& code, const LaneGroups& lanes,
                                         llvm::Function& single) {
  return LaneGroupsBuilder(kernel, symbol, regions, code, lanes, single).build();
}

}  // namespace skmd::codegen
