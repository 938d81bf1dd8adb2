// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/eligible.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "compiler/analysis/kernel_view.h"
#include "compiler/ir/address_spaces.h"
#include "compiler/ir/builtin.h"
#include "compiler/merge/merge_constants.h"
#include "compiler/merge/replay.h"

namespace skmd::compiler {

namespace {

using llvm::Instruction;
using llvm::Value;

// Loads of more are not guarded against bad addresses by what stands in for memory (span.cpp).
constexpr std::uint64_t kMaxLoadBytes = 64;

constexpr char kFloats[] = "floating point decides where it stores";
constexpr char kLocal[] = "local memory decides where it stores";
constexpr char kPointers[] = "it stores or loads through pointers that are not known here";
constexpr char kPointersInMemory[] = "pointers are kept in memory";
constexpr char kSynchronises[] = "atomic or volatile accesses decide where it stores";

bool holds_pointer(const llvm::Type* type) {
  return type->isPtrOrPtrVectorTy() ||
         llvm::any_of(type->subtypes(), [](const llvm::Type* t) { return holds_pointer(t); });
}
bool holds_float(const llvm::Type* type) {
  return type->isFPOrFPVectorTy() || llvm::any_of(type->subtypes(), [](const llvm::Type* t) { return holds_float(t); });
}

bool is_buffer(const Value* base) {
  const auto* argument = llvm::dyn_cast_or_null<llvm::Argument>(base);
  return argument != nullptr && !argument->hasByValAttr() && may_reach_buffer(*argument);
}

class Judge {
 public:
  explicit Judge(const llvm::Function& kernel) : layout_(kernel.getParent()->getDataLayout()) {}

  const char* of(const Instruction& instruction) {
    if (is_replay(instruction)) return is_buffer(base_of(*instruction.getOperand(0))) ? nullptr : kPointers;
    if (uses_float(instruction)) return kFloats;
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return of_call(*call);
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return of_load(*load);
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return of_store(*store);
    if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) return of_variable(*variable);
    if (const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) return of_comparison(*comparison);
    if (llvm::isa<llvm::PtrToIntInst, llvm::IntToPtrInst, llvm::PtrToAddrInst>(instruction)) return kPointers;
    if (instruction.isAtomic() || instruction.isVolatile()) return kSynchronises;
    if (llvm::isa<llvm::IndirectBrInst, llvm::InvokeInst, llvm::ResumeInst>(instruction))
      return "its control flow is not plain";
    return nullptr;
  }
  std::vector<std::uint32_t> take_loads() {
    llvm::sort(loads_);
    loads_.erase(std::unique(loads_.begin(), loads_.end()), loads_.end());
    return std::move(loads_);
  }

 private:
  static bool uses_float(const Instruction& instruction) {
    return holds_float(instruction.getType()) ||
           llvm::any_of(instruction.operands(), [](const llvm::Use& use) { return holds_float(use->getType()); });
  }

  // Fills and copies of private variables: no bytes of buffers, which loads alone are guarded for.
  static bool is_private(const llvm::MemIntrinsic& transfer) {
    const Value* to = base_of(*transfer.getRawDest());
    if (to == nullptr || !llvm::isa<llvm::AllocaInst>(to) || transfer.isVolatile()) return false;
    const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&transfer);
    if (copy == nullptr) return true;
    const Value* from = base_of(*copy->getRawSource());
    const auto* constant = llvm::dyn_cast_or_null<llvm::GlobalVariable>(from);
    if (constant != nullptr)
      return constant->isConstant() && constant->hasDefinitiveInitializer() && !holds_pointer(constant->getValueType());
    return from != nullptr && llvm::isa<llvm::AllocaInst>(from) && llvm::isa<llvm::MemCpyInst>(copy);
  }

  static const char* of_call(const llvm::CallBase& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr) return "it calls what is not known here";
    if (callee->isIntrinsic() && call.doesNotAccessMemory()) return nullptr;
    if (const auto* transfer = llvm::dyn_cast<llvm::MemIntrinsic>(&call); transfer != nullptr && is_private(*transfer))
      return nullptr;
    if (is_geometry(builtin_of(call).name)) return nullptr;
    return "it calls a function of the device";
  }

  const char* of_load(const llvm::LoadInst& load) {
    if (load.isAtomic() || load.isVolatile()) return kSynchronises;
    if (load.getPointerAddressSpace() == kLocalSpace) return kLocal;
    if (holds_pointer(load.getType())) return kPointersInMemory;
    if (layout_.getTypeStoreSize(load.getType()) > kMaxLoadBytes) return "it loads structures";
    const Value* base = base_of(*load.getPointerOperand());
    if (is_buffer(base)) {
      loads_.push_back(llvm::cast<llvm::Argument>(base)->getArgNo());
      return nullptr;
    }
    if (base != nullptr && llvm::isa<llvm::AllocaInst>(base)) return nullptr;
    if (const auto* argument = llvm::dyn_cast_or_null<llvm::Argument>(base))
      return argument->hasByValAttr() ? nullptr : kPointers;
    const auto* variable = llvm::dyn_cast_or_null<llvm::GlobalVariable>(base);
    if (variable == nullptr) return kPointers;
    if (variable->getAddressSpace() == kLocalSpace) return kLocal;
    const bool constant = variable->isConstant() && variable->hasDefinitiveInitializer();
    return constant && !holds_pointer(variable->getValueType()) ? nullptr
                                                                : "program-scope variables decide where it stores";
  }

  static const char* of_store(const llvm::StoreInst& store) {
    if (store.isAtomic() || store.isVolatile()) return kSynchronises;
    if (holds_pointer(store.getValueOperand()->getType())) return kPointersInMemory;
    const Value* base = base_of(*store.getPointerOperand());
    return base != nullptr && llvm::isa<llvm::AllocaInst>(base) ? nullptr : kPointers;
  }

  const char* of_variable(const llvm::AllocaInst& variable) {
    const auto size = variable.getAllocationSize(layout_);
    if (size) private_bytes_ += size->getKnownMinValue();
    const bool fits = size && !size->isScalable() && private_bytes_ <= tuning::kMaxPrivateBytes;
    return fits && !holds_pointer(variable.getAllocatedType()) ? nullptr : "its private variables are too large";
  }

  static bool is_null(const Value* pointer) {
    return llvm::isa<llvm::ConstantPointerNull>(pointer->stripPointerCasts());
  }

  static const char* of_comparison(const llvm::ICmpInst& comparison) {
    const Value* left = comparison.getOperand(0);
    const Value* right = comparison.getOperand(1);
    if (!left->getType()->isPtrOrPtrVectorTy()) return nullptr;
    if (is_null(left) || is_null(right)) return nullptr;
    const Value* base = base_of(*left);
    return base != nullptr && base == base_of(*right) ? nullptr : "it compares pointers";
  }

  const llvm::DataLayout& layout_;
  std::uint64_t private_bytes_ = 0;
  std::vector<std::uint32_t> loads_;
};

}  // namespace

const Value* base_of(const Value& pointer) {
  llvm::SmallVector<const Value*, 4> objects;
  llvm::getUnderlyingObjects(&pointer, objects, nullptr, 0);
  const Value* base = nullptr;
  for (const Value* object : objects) {
    // Through null, nothing that is right can be reached.
    if (llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(object)) continue;
    if (base != nullptr && base != object) return nullptr;
    base = object;
  }
  return base;
}

MergeKernel judge(const llvm::Function& kernel) {
  MergeKernel result;
  Judge judge(kernel);
  bool stores = false;
  for (const Instruction& instruction : llvm::instructions(kernel)) {
    stores = stores || is_replay(instruction);
    if (const char* obstacle = judge.of(instruction)) {
      result.obstacle = obstacle;
      return result;
    }
  }
  if (!stores) result.obstacle = "it stores nothing";
  result.loads = judge.take_loads();
  return result;
}

}  // namespace skmd::compiler
