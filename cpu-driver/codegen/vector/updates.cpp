// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/updates.h"

#include <optional>

#include "cpu-driver/codegen/vector/vector_constants.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;

bool writes(Instruction& instruction) {
  const std::optional<Access> found = access(instruction);
  return found ? found->stored != nullptr : instruction.mayWriteToMemory();
}

bool nothing_is_written_between(const Instruction& first, const Instruction& last) {
  for (const Instruction* at = first.getNextNode(); at != &last; at = at->getNextNode())
    if (at == nullptr || writes(const_cast<Instruction&>(*at))) return false;
  return true;
}

bool is_update(const Access& load, const Access& store, const Shapes& shapes, const AccessGroups& groups) {
  const Instruction& from = *load.instruction;
  const Instruction& to = *store.instruction;
  return load.type()->isIntegerTy() && load.type()->getIntegerBitWidth() >= 8 &&
         load.type()->getIntegerBitWidth() <= tuning::kWidestUpdate && load.pointer == store.pointer &&
         load.mask == store.mask && from.hasOneUse() && from.getParent() == to.getParent() && from.comesBefore(&to) &&
         is_simple(from) && is_simple(to) && groups.of(&from) == nullptr && groups.of(&to) == nullptr &&
         shapes[load.pointer].kind == Shape::varying && nothing_is_written_between(from, to);
}

}  // namespace

Updates::Updates(llvm::Function& function, const Shapes& shapes, const AccessGroups& groups) {
  for (llvm::BasicBlock& block : function)
    for (Instruction& instruction : block)
      if (const std::optional<Access> store = access(instruction); store && store->stored != nullptr)
        add(*store, shapes, groups);
}

void Updates::add(const Access& store, const Shapes& shapes, const AccessGroups& groups) {
  auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(store.stored);
  if (operation == nullptr || !operation->hasOneUse() || operation->isIntDivRem()) return;
  for (llvm::Value* operand : operation->operands()) {
    auto* from = llvm::dyn_cast<Instruction>(operand);
    const std::optional<Access> load = from == nullptr ? std::nullopt : access(*from);
    if (!load || !is_update(*load, store, shapes, groups)) continue;
    updates_[store.instruction] = {operation, from};
    inside_.insert(from);
    inside_.insert(operation);
    return;
  }
}

const Update* Updates::of(const Instruction& store) const {
  const auto found = updates_.find(&store);
  return found == updates_.end() ? nullptr : &found->second;
}

}  // namespace skmd::codegen
