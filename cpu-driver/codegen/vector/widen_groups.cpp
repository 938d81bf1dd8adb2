// SPDX-License-Identifier: Apache-2.0
// Groups of accesses as one wide access, with shuffles that sort elements by member.
#include "cpu-driver/codegen/vector/lower_masked.h"
#include "cpu-driver/codegen/vector/widener.h"

namespace skmd::codegen {

namespace {

using llvm::Value;

llvm::Align least_align(const AccessGroup& group) {
  llvm::Align align = group.members.front().align;
  for (const Access& member : group.members) align = std::min(align, member.align);
  return align;
}

}  // namespace

// Where lane 0's first member is; from the place's own address, since others may not be computed yet.
Value* Widener::group_address(const AccessGroup& group) {
  std::int64_t before = 0;
  for (const Access& member : group.members) {
    if (member.instruction == group.place) break;
    before += static_cast<std::int64_t>(source_.getDataLayout().getTypeStoreSize(member.type()));
  }
  for (const Access& member : group.members)
    if (member.instruction == group.place) return step(builder_, scalar(member.pointer), -before, 1);
  return nullptr;
}

// Each lane's bit once for each member.
Value* Widener::group_mask(const AccessGroup& group) {
  const unsigned count = group.members.size();
  llvm::SmallVector<int, 128> places;
  for (unsigned at = 0; at < count * lanes_; ++at) places.push_back(static_cast<int>(at / count));
  return builder_.CreateShuffleVector(mask_vector(group.members.front().mask), places);
}

void Widener::load_group(const AccessGroup& group) {
  const unsigned count = group.members.size();
  const Access& first = group.members.front();
  auto* type = llvm::FixedVectorType::get(first.type(), count * lanes_);
  Value* address = group_address(group);
  Value* wide = all_lanes(first.mask)
                    ? static_cast<Value*>(builder_.CreateAlignedLoad(type, address, least_align(group)))
                    : create_masked_load(builder_, type, address, least_align(group), group_mask(group));
  for (unsigned member = 0; member < count; ++member) {
    llvm::SmallVector<int, 32> places;
    for (unsigned lane = 0; lane < lanes_; ++lane) places.push_back(static_cast<int>(lane * count + member));
    set_vector(*group.members[member].instruction, builder_.CreateShuffleVector(wide, places));
  }
}

void Widener::store_group(const AccessGroup& group) {
  const unsigned count = group.members.size();
  llvm::SmallVector<Value*, 4> parts;
  for (const Access& member : group.members) parts.push_back(vector(member.stored));
  // All lanes of a member, one member after the other, and then lane by lane.
  Value* joined = parts[0];
  for (unsigned member = 1; member < count; ++member) {
    const unsigned had = member * lanes_;
    llvm::SmallVector<int, 128> widen;
    for (unsigned at = 0; at < had; ++at) widen.push_back(at < lanes_ ? static_cast<int>(at) : -1);
    Value* other = member == 1 ? parts[1] : builder_.CreateShuffleVector(parts[member], widen);
    llvm::SmallVector<int, 128> places;
    for (unsigned at = 0; at < had + lanes_; ++at) places.push_back(static_cast<int>(at));
    joined = builder_.CreateShuffleVector(joined, other, places);
  }
  llvm::SmallVector<int, 128> places;
  for (unsigned at = 0; at < count * lanes_; ++at) places.push_back(static_cast<int>(at % count * lanes_ + at / count));
  Value* wide = builder_.CreateShuffleVector(joined, places);
  Value* address = group_address(group);
  if (all_lanes(group.members.front().mask))
    builder_.CreateAlignedStore(wide, address, least_align(group));
  else
    create_masked_store(builder_, wide, address, least_align(group), group_mask(group));
}

bool Widener::grouped(const llvm::Instruction& source) {
  const AccessGroup* group = groups_.of(&source);
  if (group == nullptr) return false;
  if (group->place != &source) return true;
  group->members.front().stored == nullptr ? load_group(*group) : store_group(*group);
  return true;
}

}  // namespace skmd::codegen
