// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/groups.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/vector/vector_constants.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;

constexpr std::int64_t kWordBytes = 8;  // of members that are one word of a lane

std::int64_t size_of(const Access& access) {
  return static_cast<std::int64_t>(access.instruction->getDataLayout().getTypeStoreSize(access.type()));
}

bool is_simple(const Access& access) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(access.instruction);
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(access.instruction);
  return (load == nullptr || load->isSimple()) && (store == nullptr || store->isSimple());
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
  llvm::Type* type = access.type();
  if (!type->isIntegerTy() && !type->isHalfTy() && !type->isFloatTy() && !type->isDoubleTy()) return false;
  const std::int64_t size = size_of(access);
  if (type->getScalarSizeInBits() != 8 * static_cast<std::uint64_t>(size)) return false;
  const Shape shape = shapes_[access.pointer];
  if (layout_.interleaved(access.pointer) || shape.kind == Shape::unknown) return false;
  // What is the same for all lanes, or next to each other, is best alone.
  return shape.kind == Shape::varying || (shape.stride != 0 && shape.stride != size && shape.stride != -size);
}

bool AccessGroups::steps_as_piece(const Access& access) const {
  const std::int64_t size = size_of(access);
  const Shape shape = shapes_[access.pointer];
  return shape.kind == Shape::linear && shape.stride > size && shape.stride % size == 0 &&
         shape.stride / size <= tuning::kMaxMembers &&
         shape.stride * static_cast<std::int64_t>(lanes_) <= tuning::kMaxWideBytes;
}

bool AccessGroups::alike(const Candidate& one, const Candidate& other) const {
  return one.address.beside(other.address) && one.access.mask == other.access.mask &&
         one.access.type() == other.access.type() && shapes_[one.access.pointer] == shapes_[other.access.pointer];
}

// What is not masked happens in lanes of which nothing is known. The condition of a checked number is that of one
// extension.
TakeApart AccessGroups::depth(const Access& access) const {
  if (access.mask == nullptr) return TakeApart::constants;
  return shapes_[access.pointer].checked ? TakeApart::sums : TakeApart::extensions;
}

// 0: any memory. Others are disjoint.
unsigned AccessGroups::space(const llvm::Value& pointer) const {
  const unsigned space = pointer.getType()->getPointerAddressSpace();
  return space == kGlobalSpace || space == kConstantSpace ? kGlobalSpace : space == kLocalSpace ? kLocalSpace : 0;
}

// Whether a lane may access the same bytes by both. Two lanes that do so without being told in which order make a race.
bool AccessGroups::may_meet(const Candidate& one, const Candidate& other) const {
  const unsigned space_of_one = space(*one.access.pointer);
  const unsigned space_of_other = space(*other.access.pointer);
  if (space_of_one != space_of_other && space_of_one != 0 && space_of_other != 0) return false;
  if (!one.address.beside(other.address)) return true;
  const auto distance =
      static_cast<std::uint64_t>(other.address.offset) - static_cast<std::uint64_t>(one.address.offset);
  // Modulo 2^64, from either.
  return distance < static_cast<std::uint64_t>(size_of(one.access)) ||
         -distance < static_cast<std::uint64_t>(size_of(other.access));
}

bool AccessGroups::any_meets(llvm::ArrayRef<Candidate> some, const Candidate& other) const {
  return some.size() >= tuning::kMaxOpen ||
         llvm::any_of(some, [&](const Candidate& each) { return may_meet(each, other); });
}

// Loads join up to a write of what they read, stores up to another access of what they write.
void AccessGroups::scan(llvm::BasicBlock& block) {
  Candidates loads;
  Candidates stores;
  Candidates written;  // since the first of `loads`
  const auto close_loads = [&] {
    close(loads);
    written.clear();
  };
  for (Instruction& instruction : block) {
    if (!touches_memory(instruction)) continue;
    const std::optional<Access> found = access(instruction);
    if (!found || !is_simple(*found)) {
      close_loads();
      close(stores);
      continue;
    }
    const Candidate candidate{*found, address_of(*found->pointer, block.getDataLayout(), depth(*found))};
    if (any_meets(stores, candidate)) close(stores);
    if (found->stored != nullptr) {
      if (written.size() >= tuning::kMaxOpen) close_loads();
      if (!loads.empty()) written.push_back(candidate);
    } else if (any_meets(written, candidate)) {
      close_loads();
    }
    if (may_join(*found)) (found->stored != nullptr ? stores : loads).push_back(candidate);
  }
  close_loads();
  close(stores);
}

void AccessGroups::close(Candidates& candidates) {
  while (!candidates.empty()) {
    const Candidate first = candidates.front();
    Candidates same;
    for (const Candidate& each : candidates)
      if (alike(first, each)) same.push_back(each);
    llvm::erase_if(candidates, [&](const Candidate& each) { return alike(first, each); });
    llvm::stable_sort(
        same, [](const Candidate& one, const Candidate& other) { return one.address.offset < other.address.offset; });
    const auto twice = std::adjacent_find(same.begin(), same.end(), [](const Candidate& one, const Candidate& other) {
      return one.address.offset == other.address.offset;
    });
    if (twice == same.end()) close_alike(same);
  }
}

// How many of `alike`, from the first on, are a group; 1: none.
std::size_t AccessGroups::next_group(llvm::ArrayRef<Candidate> alike) const {
  const Access& first = alike.front().access;
  const std::int64_t size = size_of(first);
  const auto in_line = [&](std::int64_t count) {
    const auto members = static_cast<std::size_t>(count);
    return count > 1 && members <= alike.size() &&
           alike[members - 1].address.offset - alike.front().address.offset == size * (count - 1);
  };
  if (steps_as_piece(first)) {
    const std::int64_t count = shapes_[first.pointer].stride / size;
    if (in_line(count)) return static_cast<std::size_t>(count);
  }
  for (std::int64_t count = std::min(tuning::kMaxMembers, kWordBytes / size); count > 1; count /= 2)
    if (in_line(count)) return static_cast<std::size_t>(count);
  return 1;
}

void AccessGroups::add_group(llvm::ArrayRef<Candidate> members) {
  AccessGroup group;
  const Access& first = members.front().access;
  group.in_one_piece = steps_as_piece(first) &&
                       shapes_[first.pointer].stride == size_of(first) * static_cast<std::int64_t>(members.size());
  for (const Candidate& member : members) {
    Instruction* instruction = member.access.instruction;
    const bool store = member.access.stored != nullptr;
    group.members.push_back(member.access);
    if (group.place == nullptr || instruction->comesBefore(group.place) != store) group.place = instruction;
    numbers_[instruction] = groups_.size();
  }
  groups_.push_back(std::move(group));
}

void AccessGroups::close_alike(llvm::ArrayRef<Candidate> alike) {
  while (!alike.empty()) {
    const std::size_t count = next_group(alike);
    if (count > 1) add_group(alike.take_front(count));
    alike = alike.drop_front(count);
  }
}

}  // namespace skmd::codegen
