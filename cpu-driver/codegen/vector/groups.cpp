// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/groups.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>

namespace skmd::codegen {

namespace {

using llvm::Instruction;

constexpr std::int64_t kMostMembers = 4;
constexpr std::int64_t kMostBytes = 512;  // of one wide access: more does not fit into registers

std::int64_t size_of(const Access& access) {
  return static_cast<std::int64_t>(access.instruction->getDataLayout().getTypeStoreSize(access.type()));
}

// Whether `instruction` may read or write memory, as far as the order of accesses goes.
bool touches_memory(const Instruction& instruction) {
  const Marker what = marker(instruction);
  if (what == Marker::any) return false;
  if (what == Marker::builtin) return !is_pure(llvm::cast<llvm::CallInst>(instruction));
  return what == Marker::load || what == Marker::store || what == Marker::each || instruction.mayReadOrWriteMemory();
}

}  // namespace

AccessGroups::AccessGroups(llvm::Function& function, const Shapes& shapes, const PrivateLayout& layout, unsigned lanes)
    : shapes_(shapes), layout_(layout), lanes_(lanes) {
  for (llvm::BasicBlock& block : function) scan(block);
}

const AccessGroup* AccessGroups::of(const Instruction* access) const {
  const auto found = numbers_.find(access);
  return found == numbers_.end() ? nullptr : &groups_[found->second];
}

bool AccessGroups::may_join(const Access& access) const {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(access.instruction);
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(access.instruction);
  if ((load != nullptr && !load->isSimple()) || (store != nullptr && !store->isSimple())) return false;
  llvm::Type* type = access.type();
  if (!type->isIntegerTy() && !type->isHalfTy() && !type->isFloatTy() && !type->isDoubleTy()) return false;
  const std::int64_t size = size_of(access);
  if (type->getScalarSizeInBits() != 8 * static_cast<std::uint64_t>(size)) return false;
  const Shape shape = shapes_[access.pointer];
  if (shape.kind != Shape::linear || shape.checked || layout_.interleaved(access.pointer)) return false;
  return shape.stride > size && shape.stride % size == 0 && shape.stride / size <= kMostMembers &&
         shape.stride * static_cast<std::int64_t>(lanes_) <= kMostBytes;
}

bool AccessGroups::alike(const Candidate& one, const Candidate& other) const {
  return one.base == other.base && one.access.mask == other.access.mask && one.access.type() == other.access.type() &&
         shapes_[one.access.pointer].stride == shapes_[other.access.pointer].stride;
}

// Loads join up to the next write, stores up to any other access.
void AccessGroups::scan(llvm::BasicBlock& block) {
  Candidates loads;
  Candidates stores;
  for (Instruction& instruction : block) {
    if (!touches_memory(instruction)) continue;
    const std::optional<Access> found = access(instruction);
    const bool load = found && found->stored == nullptr;
    if (!load) close(loads);
    if (!found || !may_join(*found)) {
      close(stores);
      continue;
    }
    llvm::APInt offset(64, 0);
    llvm::Value* base = found->pointer->stripAndAccumulateConstantOffsets(block.getDataLayout(), offset, true);
    const Candidate candidate{*found, base, offset.getSExtValue()};
    if (load || (!stores.empty() && !alike(stores.front(), candidate))) close(stores);
    (load ? loads : stores).push_back(candidate);
  }
  close(loads);
  close(stores);
}

void AccessGroups::close(Candidates& candidates) {
  while (!candidates.empty()) {
    const Candidate first = candidates.front();
    Candidates same;
    for (const Candidate& each : candidates)
      if (alike(first, each)) same.push_back(each);
    llvm::erase_if(candidates, [&](const Candidate& each) { return alike(first, each); });
    llvm::stable_sort(same, [](const Candidate& one, const Candidate& other) { return one.offset < other.offset; });
    const auto twice = std::adjacent_find(same.begin(), same.end(), [](const Candidate& one, const Candidate& other) {
      return one.offset == other.offset;
    });
    if (twice == same.end()) close_alike(same);
  }
}

void AccessGroups::close_alike(llvm::ArrayRef<Candidate> alike) {
  const std::int64_t size = size_of(alike.front().access);
  const auto count = static_cast<std::size_t>(shapes_[alike.front().access.pointer].stride / size);
  while (alike.size() >= count) {
    const llvm::ArrayRef<Candidate> members = alike.take_front(count);
    if (members.back().offset - members.front().offset != size * static_cast<std::int64_t>(count - 1)) {
      alike = alike.drop_front();
      continue;
    }
    AccessGroup group;
    for (const Candidate& member : members) {
      Instruction* instruction = member.access.instruction;
      const bool store = member.access.stored != nullptr;
      group.members.push_back(member.access);
      if (group.place == nullptr || instruction->comesBefore(group.place) != store) group.place = instruction;
      numbers_[instruction] = groups_.size();
    }
    groups_.push_back(std::move(group));
    alike = alike.drop_front(count);
  }
}

}  // namespace skmd::codegen
