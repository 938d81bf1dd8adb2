// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/check/checks.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/check/extents.h"
#include "cpu-driver/codegen/check/sites.h"
#include "cpu-driver/codegen/check/tell.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

struct Access {
  Instruction* instruction = nullptr;
  Value* address = nullptr;
  std::uint64_t bytes = 0;
};

// No address: no access.
Access access_of(Instruction& instruction) {
  const llvm::DataLayout& layout = instruction.getDataLayout();
  const auto made = [&](Value* address, llvm::Type* type) {
    return Access{&instruction, address, layout.getTypeStoreSize(type)};
  };
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return made(load->getPointerOperand(), load->getType());
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return made(store->getPointerOperand(), store->getValueOperand()->getType());
  if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return made(update->getPointerOperand(), update->getType());
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return made(exchange->getPointerOperand(), exchange->getNewValOperand()->getType());
  return {};
}

class Checker {
 public:
  Checker(llvm::Function& item, const CheckedItem& parts)
      : item_(item), extents_(item, parts), tell_(item, parts), sites_(parts.sites) {}

  domain::Result<std::string> run() {
    std::vector<Access> accesses;
    for (Instruction& instruction : llvm::instructions(item_)) {
      if (llvm::isa<llvm::MemIntrinsic>(instruction)) return domain::Error{0, "it moves memory that cannot be checked"};
      // An address outside is computed like any other.
      if (auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) place->dropPoisonGeneratingFlags();
      if (const Access access = access_of(instruction); access.address != nullptr) accesses.push_back(access);
    }
    for (const Access& access : accesses)
      if (domain::Status status = check(access); !status) return status.error();
    return std::move(sites_);
  }

 private:
  domain::Status check(const Access& access) {
    const std::vector<Extent> extents = extents_.of(*access.address);
    if (extents.empty()) return {};
    IRBuilder<> ir(access.instruction);
    Value* inside = nullptr;
    Value* offset = nullptr;  // in the first of them
    for (const Extent& extent : extents) {
      Value* from = ir.CreateSub(ir.CreatePtrToInt(access.address, ir.getInt64Ty()),
                                 ir.CreatePtrToInt(extent.base, ir.getInt64Ty()));
      Value* here = is_inside(ir, from, access.bytes, extent.size);
      inside = inside == nullptr ? here : ir.CreateOr(inside, here);
      if (offset == nullptr) offset = from;
    }
    return guard(access, inside, offset, extents);
  }

  static Value* is_inside(IRBuilder<>& ir, Value* offset, std::uint64_t bytes, Value* size) {
    Value* length = ir.getInt64(bytes);
    return ir.CreateAnd(ir.CreateICmpUGE(size, length), ir.CreateICmpULE(offset, ir.CreateSub(size, length)));
  }

  domain::Status guard(const Access& access, Value* inside, Value* offset, const std::vector<Extent>& extents) {
    Instruction& instruction = *access.instruction;
    auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
    llvm::SmallVector<llvm::ExtractValueInst*, 2> parts;
    if (exchange != nullptr)
      for (llvm::User* user : exchange->users()) {
        auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(user);
        if (part == nullptr) return domain::Error{0, "an exchange's result is used as a whole"};
        parts.push_back(part);
      }
    Instruction* then = nullptr;
    Instruction* otherwise = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(inside, instruction.getIterator(), &then, &otherwise);
    IRBuilder<> ir(otherwise);
    ir.SetCurrentDebugLocation(instruction.getDebugLoc());
    tell_(ir, offset, extents.front().size);
    sites_ += site_of(instruction, access.bytes, extents);
    llvm::BasicBlock* joint = instruction.getParent();
    instruction.moveBefore(then->getIterator());
    if (instruction.getType()->isVoidTy()) return {};
    if (exchange == nullptr) {
      join(*joint, instruction, llvm::Constant::getNullValue(instruction.getType()), then, otherwise);
      return {};
    }
    // As if it had found what it expects: a loop around it ends.
    for (llvm::ExtractValueInst* part : parts) {
      Value* none = part->getIndices().front() == 0 ? exchange->getCompareOperand() : ir.getTrue();
      part->moveBefore(then->getIterator());
      join(*joint, *part, none, then, otherwise);
    }
    return {};
  }

  static void join(llvm::BasicBlock& joint, Instruction& value, Value* otherwise, Instruction* from_then,
                   Instruction* from_otherwise) {
    if (value.use_empty()) return;
    IRBuilder<> ir(&joint, joint.begin());
    llvm::PHINode* joined = ir.CreatePHI(value.getType(), 2);
    joined->setDebugLoc(value.getDebugLoc());
    value.replaceAllUsesWith(joined);
    joined->addIncoming(&value, from_then->getParent());
    joined->addIncoming(otherwise, from_otherwise->getParent());
  }

  llvm::Function& item_;
  Extents extents_;
  Tell tell_;
  std::string sites_;
};

}  // namespace

domain::Result<std::string> add_checks(llvm::Function& item, const CheckedItem& parts) {
  return Checker(item, parts).run();
}

}  // namespace skmd::codegen
