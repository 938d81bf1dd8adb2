// SPDX-License-Identifier: Apache-2.0
// Where packs can be made, and whether they are worth it.
#include <llvm/ADT/STLExtras.h>

#include <algorithm>

#include "cpu-driver/codegen/packs/packs_constants.h"
#include "cpu-driver/codegen/packs/plan.h"
#include "cpu-driver/codegen/vector/lane_code.h"

namespace skmd::codegen {

namespace {

using llvm::FixedVectorType;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kRegisterPart = 128;  // in which bytes are moved at once

// A load sees the same memory wherever between the first member and `place` it is done.
bool sees_the_same(const Members& members, const Instruction& place) {
  const auto* first = llvm::cast<Instruction>(members[0]);
  if (!first->mayReadFromMemory()) return true;
  for (const Value* member : members)
    if (const auto* each = llvm::cast<Instruction>(member); each->comesBefore(first)) first = each;
  for (const Instruction* at = first; at != &place; at = at->getNextNode())
    if (at == nullptr || at->mayWriteToMemory()) return false;
  return true;
}

}  // namespace

// Null: neither is always there before the other.
Instruction* PackPlan::later(Instruction* one, Instruction* other) const {
  if (one == nullptr || other == nullptr) return nullptr;
  if (one == other || dominators_.dominates(one, other)) return other;
  return dominators_.dominates(other, one) ? one : nullptr;
}

Instruction* PackPlan::place_of(unsigned number) {
  Pack& pack = packs_[number];
  if (pack.place != nullptr) return pack.place;
  Instruction* place = behind(*pack.members[0], function_);
  for (Value* member : pack.members) place = later(place, behind(*member, function_));
  if (pack.kind == Pack::Kind::step || pack.kind == Pack::Kind::permuted)
    for (const unsigned operand : pack.operands)
      if (operand != Pack::kSame && place != nullptr) place = later(place, place_of(operand));
  return packs_[number].place = place;
}

bool PackPlan::is_there(unsigned number, const Instruction& where) const {
  const Instruction* place = packs_[number].place;
  return place != nullptr && (place == &where || dominators_.dominates(place, &where));
}

// Each pack is there where it is needed.
bool PackPlan::holds(const Pack& pack) const {
  if (pack.place == nullptr) return false;
  if (pack.kind == Pack::Kind::step) return sees_the_same(pack.members, *pack.place);
  if (pack.kind != Pack::Kind::phi) return true;
  const auto* phi = llvm::cast<llvm::PHINode>(pack.members[0]);
  for (unsigned at = 0; at < phi->getNumIncomingValues(); ++at)
    if (!is_there(pack.operands[at], *phi->getIncomingBlock(at)->getTerminator())) return false;
  return true;
}

void PackPlan::find_parts() {
  for (unsigned number = 0; number < packs_.size(); ++number) parts_.push_back(number);
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned number = 0; number < packs_.size(); ++number)
      for (const unsigned operand : packs_[number].operands) {
        if (operand == Pack::kSame || parts_[operand] == parts_[number]) continue;
        parts_[operand] = parts_[number] = std::min(parts_[operand], parts_[number]);
        changed = true;
      }
  }
}

// Packs that need each other are made all or none.
void PackPlan::keep_what_is_worth_it() {
  std::vector<int> gains(packs_.size(), 0);
  std::vector<bool> good(packs_.size(), true);
  for (unsigned number = 0; number < packs_.size(); ++number) place_of(number);
  for (unsigned number = 0; number < packs_.size(); ++number) {
    gains[parts_[number]] += gain_of(packs_[number]);
    if (!holds(packs_[number])) good[parts_[number]] = false;
  }
  for (const Seed& seed : seeds_) {
    const auto count = static_cast<int>(packs_[seed.pack].members.size());
    gains[parts_[seed.pack]] += count - 1 + registers(*seed.shuffle->getType(), 1);
    if (!is_there(seed.pack, *seed.shuffle)) good[parts_[seed.pack]] = false;
  }
  std::erase_if(seeds_, [&](const Seed& seed) { return !good[parts_[seed.pack]] || gains[parts_[seed.pack]] <= 0; });
}

int PackPlan::registers(const llvm::Type& type, unsigned times) const {
  const unsigned bits = type.getPrimitiveSizeInBits().getFixedValue() * times;
  const unsigned room = 32 * lanes(isa_);
  return static_cast<int>((bits + room - 1) / room);
}

// 0: nothing is moved. Wider elements than bytes move anywhere in a register at once.
int PackPlan::cost_of_shuffle(const Pack& pack) const {
  const llvm::Type& type = *pack.members[0]->getType();
  const unsigned width = type.getScalarSizeInBits();
  bool in_place = pack.sources.size() < 2, in_parts = in_place;
  for (unsigned at = 0; at < pack.places.size(); ++at) {
    if (pack.places[at] < 0) continue;
    const auto from = static_cast<unsigned>(pack.places[at]);
    in_place = in_place && from == at;
    in_parts = in_parts && from * width / kRegisterPart == at * width / kRegisterPart;
  }
  if (in_place) return 0;
  if (registers(type, pack.members.size()) > 1) return tuning::kTooDear;
  if (width == 1) return 4;
  if (in_parts || width >= 32 || pack.sources.size() > 1) return 1;
  return isa_ == Isa::avx512vbmi ? 1 : 4;
}

// Whether the member is not needed any more.
bool PackPlan::is_inner(const Value& member) const {
  return llvm::all_of(member.users(),
                      [&](const llvm::User* user) { return homes_.contains(user) || joining_.contains(user); });
}

// In instructions, roughly.
int PackPlan::gain_of(const Pack& pack) const {
  const auto count = static_cast<int>(pack.members.size());
  const llvm::Type& type = *pack.members[0]->getType();
  const int one = registers(type, 1), all = registers(type, pack.members.size());
  int inner = 0;
  for (const Value* member : pack.members) inner += is_inner(*member) ? 1 : 0;
  switch (pack.kind) {
    case Pack::Kind::shuffled:
      return inner - cost_of_shuffle(pack);
    case Pack::Kind::permuted:
      return -cost_of_shuffle(pack);
    case Pack::Kind::step:
      return inner * one - all - (count - inner);
    case Pack::Kind::phi:
      return inner - count;
    case Pack::Kind::repeated:
      return -1;  // it seldom changes
    case Pack::Kind::gathered:
      return 1 - count - all;
    default:
      return 0;
  }
}

}  // namespace skmd::codegen
