// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/widen_groups.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

#include "cpu-driver/codegen/vector/lower_masked.h"

namespace skmd::codegen {

namespace {

using llvm::Type;
using llvm::Value;

constexpr std::uint64_t kWordBytes = 8;  // of the widest number

bool is_word(std::uint64_t bytes) { return bytes <= kWordBytes && llvm::isPowerOf2_64(bytes); }

const Access& place_of(const AccessGroup& group) {
  return *llvm::find_if(group.members, [&](const Access& each) { return each.instruction == group.place; });
}

std::uint64_t element_bytes(const Access& member) {
  return member.instruction->getDataLayout().getTypeStoreSize(member.type());
}

// From the first member to the place.
std::int64_t bytes_before(const AccessGroup& group) {
  const Access& place = place_of(group);
  return static_cast<std::int64_t>(element_bytes(place)) * (&place - group.members.begin());
}

llvm::Align least_align(const AccessGroup& group) {
  llvm::Align align = group.members.front().align;
  for (const Access& member : group.members) align = std::min(align, member.align);
  return align;
}

}  // namespace

// Each lane's bit once for each member.
Value* GroupWidener::group_mask(const AccessGroup& group) {
  const unsigned count = group.members.size();
  llvm::SmallVector<int, 128> places;
  for (unsigned at = 0; at < count * values_.lanes(); ++at) places.push_back(static_cast<int>(at / count));
  return builder_.CreateShuffleVector(values_.mask_vector(group.members.front().mask), places);
}

// A member's lanes of what is lane by lane.
Value* GroupWidener::part(Value* wide, unsigned member, unsigned count) {
  llvm::SmallVector<int, 32> places;
  for (unsigned lane = 0; lane < values_.lanes(); ++lane) places.push_back(static_cast<int>(lane * count + member));
  return builder_.CreateShuffleVector(wide, places);
}

Value* GroupWidener::load_piece(const AccessGroup& group) {
  const Access& first = group.members.front();
  auto* type = llvm::FixedVectorType::get(first.type(), group.members.size() * values_.lanes());
  Value* address = step(builder_, values_.scalar(place_of(group).pointer), -bytes_before(group), 1);
  const auto plain = [&]() -> Value* { return builder_.CreateAlignedLoad(type, address, least_align(group)); };
  const auto masked = [&]() -> Value* {
    return create_masked_load(builder_, type, address, least_align(group), group_mask(group));
  };
  if (all_lanes(first.mask) || facts_.reads_around(first)) return plain();
  return worth_a_branch(group) ? if_else(builder_, every_lane(first.mask), plain, masked) : masked();
}

// The mask of each register has to be made. Stores without masks are also what loads that follow soon get at.
bool GroupWidener::worth_a_branch(const AccessGroup& group) const {
  constexpr std::uint64_t kRegister = 64;  // bytes of the widest register
  return full_ && element_bytes(group.members.front()) * group.members.size() * values_.lanes() > kRegister;
}

Value* GroupWidener::every_lane(Value* mask) {
  Value* bits = mask_bits(builder_, values_.mask_vector(mask));
  return builder_.CreateICmpEQ(bits, all_mask_bits(builder_, values_.lanes()));
}

// Others' addresses may not be computed yet where the group is: all are told from the place's own.
Value* GroupWidener::load_words(const AccessGroup& group) {
  const unsigned count = group.members.size();
  const Access& place = place_of(group);
  remarks_.add(*place.instruction, "lanes are loaded one by one: not next to each other");
  const std::uint64_t size = element_bytes(place);
  const std::int64_t first = -bytes_before(group);
  if (is_word(size * count)) {
    Type* words = lanes_of(builder_.getIntNTy(8 * size * count), values_.lanes());
    Value* made = gathers_.gather_at(place, group.members.front().align, words, first);
    return builder_.CreateBitCast(made, llvm::FixedVectorType::get(place.type(), count * values_.lanes()));
  }
  llvm::SmallVector<Value*, 4> parts;
  for (unsigned member = 0; member < count; ++member)
    parts.push_back(gathers_.gather_at(place, group.members[member].align, lanes_of(place.type(), values_.lanes()),
                                       first + static_cast<std::int64_t>(size * member)));
  return interleaved(builder_, parts);
}

void GroupWidener::load(const AccessGroup& group) {
  Value* wide = nullptr;
  if (!group.in_one_piece) {
    wide = load_words(group);
  } else if (Value* check = values_.check_of(place_of(group).pointer)) {
    wide = if_else(
        builder_, check, [&] { return load_piece(group); }, [&] { return load_words(group); });
  } else {
    wide = load_piece(group);
  }
  const unsigned count = group.members.size();
  for (unsigned member = 0; member < count; ++member)
    values_.set_vector(*group.members[member].instruction, part(wide, member, count));
}

void GroupWidener::store_piece(const AccessGroup& group, Value* wide) {
  Value* address = step(builder_, values_.scalar(place_of(group).pointer), -bytes_before(group), 1);
  const auto plain = [&] {
    builder_.CreateAlignedStore(wide, address, least_align(group));
    return nullptr;
  };
  const auto masked = [&] {
    create_masked_store(builder_, wide, address, least_align(group), group_mask(group));
    return nullptr;
  };
  Value* mask = group.members.front().mask;
  if (all_lanes(mask))
    plain();
  else if (worth_a_branch(group))
    if_else(builder_, every_lane(mask), plain, masked);
  else
    masked();
}

void GroupWidener::store_words(const AccessGroup& group, Value* wide) {
  const unsigned count = group.members.size();
  const Access& place = place_of(group);
  remarks_.add(*place.instruction, "lanes are stored one by one: not next to each other");
  const std::uint64_t size = element_bytes(place);
  const std::int64_t first = -bytes_before(group);
  if (is_word(size * count)) {
    Type* words = lanes_of(builder_.getIntNTy(8 * size * count), values_.lanes());
    gathers_.scatter_at(place, group.members.front().align, builder_.CreateBitCast(wide, words), first);
    return;
  }
  for (unsigned member = 0; member < count; ++member)
    gathers_.scatter_at(place, group.members[member].align, part(wide, member, count),
                        first + static_cast<std::int64_t>(size * member));
}

void GroupWidener::store(const AccessGroup& group) {
  llvm::SmallVector<Value*, 4> parts;
  for (const Access& member : group.members) parts.push_back(values_.vector(member.stored));
  Value* wide = interleaved(builder_, parts);
  if (!group.in_one_piece) {
    store_words(group, wide);
  } else if (Value* check = values_.check_of(place_of(group).pointer)) {
    if_else(
        builder_, check,
        [&] {
          store_piece(group, wide);
          return nullptr;
        },
        [&] {
          store_words(group, wide);
          return nullptr;
        });
  } else {
    store_piece(group, wide);
  }
}

void GroupWidener::widen(const AccessGroup& group) {
  group.members.front().stored == nullptr ? load(group) : store(group);
}

}  // namespace skmd::codegen
