// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/guard.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerMemIntrinsics.h>

#include "compiler/merge/eligible.h"
#include "compiler/merge/replay.h"
#include "compiler/merge/stored.h"
#include "compiler/merge/units.h"

namespace skmd::compiler {

namespace {

using llvm::IRBuilder;
using llvm::Value;

constexpr unsigned kZeroBytes = 64;  // as many as kMaxLoadBytes of eligible.cpp

class Guard {
 public:
  Guard(const Extents& extents, const std::vector<std::uint8_t>& units, llvm::Instruction& entry, bool aligned)
      : extents_(extents), entry_(entry), units_(units), aligned_(aligned) {}

  void replay(llvm::CallInst& marker) {
    const Value* place = marker.getArgOperand(0);
    const auto* argument = llvm::cast<llvm::Argument>(base_of(*place));
    IRBuilder<> ir(&marker);
    Value* offset = ir.CreateSub(ir.CreatePtrToInt(marker.getArgOperand(0), ir.getInt64Ty()),
                                 extents_.find(argument)->second.bytes);
    const std::uint64_t width = llvm::cast<llvm::ConstantInt>(marker.getArgOperand(1))->getZExtValue();
    const std::uint64_t alignment = known_alignment(*place, marker.getDataLayout());
    tell_stored(
        ir, {offset, width, marker.getArgOperand(2), argument->getArgNo(), units_[argument->getArgNo()], alignment});
    marker.eraseFromParent();
  }

  void load(llvm::LoadInst& load) {
    const Value* base = base_of(*load.getPointerOperand());
    const llvm::DataLayout& layout = load.getDataLayout();
    const std::uint64_t width = layout.getTypeStoreSize(load.getType());
    IRBuilder<> ir(&load);
    Value* start = nullptr;
    Value* limit = nullptr;
    if (const auto found = extents_.find(base); found != extents_.end()) {
      start = found->second.bytes;
      limit = limit_of(found->second, width);
    } else if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
      const std::uint64_t size = layout.getTypeAllocSize(variable->getValueType());
      start = ir.CreatePtrToInt(const_cast<llvm::GlobalVariable*>(variable), ir.getInt64Ty());
      limit = ir.getInt64(size >= width ? size - width + 1 : 0);
    } else {
      return;  // private memory is the work-item's own
    }
    Value* address = load.getPointerOperand();
    Value* offset = ir.CreateSub(ir.CreatePtrToInt(address, ir.getInt64Ty()), start);
    // In host memory, buffers begin where the application likes when it says so.
    const llvm::Align alignment(aligned_ ? known_alignment(*address, layout) : 1);
    load.setOperand(0, ir.CreateSelect(ir.CreateICmpULT(offset, limit), address, zeros(load)));
    load.setAlignment(alignment);
  }

 private:
  // Accesses of `width` bytes fit from offset 0 to below this.
  Value* limit_of(const Extent& extent, std::uint64_t width) {
    Value*& limit = limits_[{extent.size, width}];
    if (limit == nullptr) {
      IRBuilder<> ir(&entry_);
      Value* rest = ir.CreateSub(extent.size, ir.getInt64(width - 1));
      limit = ir.CreateSelect(ir.CreateICmpUGE(extent.size, ir.getInt64(width)), rest, ir.getInt64(0));
    }
    return limit;
  }

  Value* zeros(const llvm::LoadInst& load) {
    llvm::Module& module = *const_cast<llvm::Module*>(load.getModule());
    const unsigned space = load.getPointerAddressSpace();
    const std::string name = "skmd.zeros." + std::to_string(space);
    if (auto* known = module.getGlobalVariable(name, true)) return known;
    auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), kZeroBytes);
    auto* made = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::InternalLinkage,
                                          llvm::ConstantAggregateZero::get(type), name, nullptr,
                                          llvm::GlobalValue::NotThreadLocal, space);
    if (aligned_) made->setAlignment(llvm::Align(kZeroBytes));
    return made;
  }

  const Extents& extents_;
  llvm::Instruction& entry_;
  const std::vector<std::uint8_t>& units_;
  bool aligned_;
  llvm::DenseMap<std::pair<const Value*, std::uint64_t>, Value*> limits_;
};

}  // namespace

void guard_accesses(const std::vector<llvm::BasicBlock*>& body, const Extents& extents,
                    const std::vector<std::uint8_t>& units, llvm::Instruction& entry, bool aligned) {
  std::vector<llvm::CallInst*> markers;
  std::vector<llvm::LoadInst*> loads;
  for (llvm::BasicBlock* block : body) {
    for (llvm::Instruction& instruction : *block) {
      if (is_replay(instruction)) markers.push_back(llvm::cast<llvm::CallInst>(&instruction));
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) loads.push_back(load);
    }
  }
  Guard guard(extents, units, entry, aligned);
  for (llvm::LoadInst* load : loads) guard.load(*load);
  for (llvm::CallInst* marker : markers) guard.replay(*marker);
}

void expand_transfers(const std::vector<llvm::BasicBlock*>& body) {
  std::vector<llvm::MemIntrinsic*> transfers;
  for (llvm::BasicBlock* block : body) {
    for (llvm::Instruction& instruction : *block)
      if (auto* transfer = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) transfers.push_back(transfer);
  }
  for (llvm::MemIntrinsic* transfer : transfers) {
    const llvm::TargetTransformInfo costs(transfer->getDataLayout());
    if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(transfer)) {
      llvm::expandMemSetAsLoop(fill);
    } else {
      llvm::expandMemCpyAsLoop(llvm::cast<llvm::MemCpyInst>(transfer), costs);
    }
    transfer->eraseFromParent();
  }
}

}  // namespace skmd::compiler
