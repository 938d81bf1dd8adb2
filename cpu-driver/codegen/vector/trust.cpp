// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/trust.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>

#include "cpu-driver/codegen/vector/markers.h"
#include "cpu-driver/codegen/vector/vector_constants.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;

// Poison where an operand is. A phi is, in the turns in which it takes that operand.
bool hands_on(const Instruction& user, bool through_phis) {
  switch (user.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::Shl:
    case Instruction::GetElementPtr:
    case Instruction::Trunc:
    case Instruction::SExt:
    case Instruction::ZExt:
      return true;
    case Instruction::PHI:
      return through_phis;
    default:
      return false;
  }
}

// An access by every lane of what `value` points to.
bool demands(Instruction& user, const llvm::Value* value) {
  const std::optional<Access> found = access(user);
  if (!found || found->pointer != value || found->stored == value) return false;
  const auto* mask = llvm::dyn_cast_or_null<llvm::ConstantInt>(found->mask);
  return found->mask == nullptr || (mask != nullptr && mask->isOne());
}

// Follows what `cast` gives to all places where it would be poison as well.
struct Followed {
  bool needed_here = false;  // one is such an access, in its own block
  bool only_needed = true;   // all are such accesses
};

Followed follow(const llvm::CastInst& cast, bool through_phis) {
  Followed result;
  llvm::SetVector<const Instruction*> derived;
  derived.insert(&cast);
  for (unsigned i = 0; i < derived.size(); ++i) {
    if (derived.size() > tuning::kMaxTrustedUses) return {result.needed_here, false};
    for (const llvm::User* user : derived[i]->users()) {
      auto& instruction = const_cast<Instruction&>(*llvm::cast<Instruction>(user));
      if (demands(instruction, derived[i]))
        result.needed_here = result.needed_here || instruction.getParent() == cast.getParent();
      else if (hands_on(instruction, through_phis))
        derived.insert(&instruction);
      else
        result.only_needed = false;
    }
  }
  return result;
}

}  // namespace

bool has_to_be_defined(const llvm::CastInst& cast) {
  // Without phis, an access in the block of `cast` is made whenever that runs, of what it gives then.
  return follow(cast, false).needed_here || follow(cast, true).only_needed;
}

}  // namespace skmd::codegen
