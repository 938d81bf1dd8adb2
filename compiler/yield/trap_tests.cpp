// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/trap_tests.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "compiler/ir/address_spaces.h"
#include "compiler/ir/builtin.h"

namespace skmd::compiler {

namespace {

using llvm::Instruction;
using llvm::Value;

bool is_checked_space(unsigned space) {
  return space == kGlobalSpace || space == kConstantSpace || space == kLocalSpace || space == kGenericSpace;
}

// Memory of the item's own, which nothing checks: variables, and arguments that are structures.
bool is_private(const Value* object) {
  const auto* argument = llvm::dyn_cast<llvm::Argument>(object);
  return llvm::isa<llvm::AllocaInst>(object) ||
         (argument != nullptr && argument->getType()->getPointerAddressSpace() == kPrivateSpace);
}

class Finder {
 public:
  Finder(Instruction& instruction, llvm::ScalarEvolution& evolution)
      : instruction_(instruction), evolution_(evolution), layout_(instruction.getModule()->getDataLayout()) {}

  InstructionTests run() {
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction_)) {
      find_in_call(*call);
    } else if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction_)) {
      if (operation->isIntDivRem()) add_division(*operation->getOperand(1));
    } else if (const Value* value = accessed_value()) {
      add_access(*access_pointer(), layout_.getTypeStoreSize(value->getType()));
    } else if (instruction_.mayReadOrWriteMemory() && !llvm::isa<llvm::FenceInst>(instruction_)) {
      found_.obstacle = "it accesses memory in a way that cannot be checked";
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] const Value* accessed_value() const {
    if (llvm::isa<llvm::LoadInst, llvm::AtomicRMWInst>(instruction_)) return &instruction_;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction_)) return store->getValueOperand();
    const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction_);
    return exchange != nullptr ? exchange->getNewValOperand() : nullptr;
  }

  [[nodiscard]] Value* access_pointer() const {
    if (Value* pointer = llvm::getLoadStorePointerOperand(&instruction_)) return pointer;
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction_)) return update->getPointerOperand();
    return llvm::cast<llvm::AtomicCmpXchgInst>(instruction_).getPointerOperand();
  }

  void find_in_call(llvm::CallBase& call) {
    if (auto* transfer = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) return find_in_transfer(*transfer);
    if (llvm::isa<llvm::IntrinsicInst>(call)) {
      const bool known = !call.mayReadOrWriteMemory() || call.onlyAccessesInaccessibleMemory();
      if (!known) found_.obstacle = "it calls " + call.getCalledFunction()->getName().str();
      return;
    }
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr || call.isInlineAsm()) {
      found_.obstacle = "it calls what is not known";
      return;
    }
    const Builtin builtin = builtin_of(call);
    const llvm::StringRef name = builtin.name;
    if (name == "printf" || name == "arm_terminate_kernel") {
      found_.tests.emplace_back().always = true;
      return;
    }
    if (is_geometry(name) || is_silent(name) || name.contains("_image")) return;
    const bool to_memory = llvm::any_of(call.args(), [](const llvm::Use& use) {
      llvm::SmallVector<const Value*, 4> objects;
      if (!use->getType()->isPtrOrPtrVectorTy()) return false;
      llvm::getUnderlyingObjects(use.get(), objects, nullptr, 0);
      return !llvm::all_of(objects, is_private);
    });
    if (to_memory || !builtin.mangled) found_.obstacle = "it calls " + name.str();
  }

  void find_in_transfer(llvm::MemIntrinsic& transfer) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(transfer.getLength());
    if (length == nullptr) {
      found_.obstacle = "it moves memory whose size is not constant";
      return;
    }
    if (length->isZero()) return;
    add_access(*transfer.getRawDest(), length->getZExtValue());
    if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&transfer))
      add_access(*copy->getRawSource(), length->getZExtValue());
  }

  void add_division(Value& divisor) {
    if (llvm::isKnownNonZero(&divisor, llvm::SimplifyQuery(layout_, &instruction_))) return;
    const auto* size = llvm::dyn_cast<llvm::CallBase>(&divisor);
    if (size != nullptr && is_size(builtin_of(*size).name)) return;
    // No group has so many items that 32 bits do not hold their number.
    const auto* narrow = llvm::dyn_cast<llvm::TruncInst>(&divisor);
    size = narrow == nullptr ? nullptr : llvm::dyn_cast<llvm::CallBase>(narrow->getOperand(0));
    if (size != nullptr && narrow->getType()->isIntegerTy(32) && builtin_of(*size).name == "get_local_size") return;
    found_.tests.emplace_back().divisor = &divisor;
  }

  // No launch has none of them.
  static bool is_size(llvm::StringRef name) {
    return name == "get_global_size" || name == "get_local_size" || name == "get_num_groups" ||
           name == "get_enqueued_local_size";
  }

  void add_access(Value& address, std::uint64_t bytes) {
    const unsigned space = address.getType()->getPointerAddressSpace();
    llvm::SmallVector<const Value*, 4> objects;
    llvm::getUnderlyingObjects(&address, objects, nullptr, 0);
    if (llvm::all_of(objects, is_private)) return;
    TrapTest test;
    test.address = &address;
    test.bytes = bytes;
    for (const Value* object : objects) {
      // A null pointer points to no memory.
      if (llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(object)) {
        test.may_be_null = true;
        continue;
      }
      const bool known = llvm::isa<llvm::Argument, llvm::GlobalVariable>(object) && is_checked_space(space) &&
                         object->getType() == address.getType();
      if (!known) {
        found_.obstacle = "it accesses memory that is not known";
        return;
      }
      test.objects.push_back(const_cast<Value*>(object));
    }
    if (test.objects.size() > 1 && !is_chosen(address)) {
      found_.obstacle = "its addresses may be places of several buffers";
      return;
    }
    if (test.objects.empty()) {
      test.address = nullptr;
      test.always = true;
    } else if (test.objects.size() == 1) {
      test.offset = offset_in(*test.objects.front(), address);
      if (test.offset != nullptr && stays_inside(test)) return;
    }
    found_.tests.push_back(std::move(test));
  }

  static bool is_chosen(Value& address) {
    Value& source = source_of(address);
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&source))
      return choice->getCondition()->getType()->isIntegerTy(1) && is_chosen(*choice->getTrueValue()) &&
             is_chosen(*choice->getFalseValue());
    return llvm::isa<llvm::Argument, llvm::GlobalVariable, llvm::ConstantPointerNull>(source);
  }

  const llvm::SCEV* offset_in(Value& object, Value& address) {
    const llvm::SCEV* offset = evolution_.getMinusSCEV(evolution_.getSCEV(&address), evolution_.getSCEV(&object));
    const bool known = !llvm::isa<llvm::SCEVCouldNotCompute>(offset) && offset->getType()->isIntegerTy(64);
    return known ? offset : nullptr;
  }

  bool stays_inside(const TrapTest& test) {
    const std::uint64_t size = bytes_of_object(*test.objects.front());
    if (size < test.bytes) return false;
    return evolution_.getUnsignedRangeMax(test.offset).ule(size - test.bytes);
  }

  Instruction& instruction_;
  llvm::ScalarEvolution& evolution_;
  const llvm::DataLayout& layout_;
  InstructionTests found_;
};

}  // namespace

InstructionTests tests_of(Instruction& instruction, llvm::ScalarEvolution& evolution) {
  return Finder(instruction, evolution).run();
}

Value& source_of(Value& address) {
  Value* at = &address;
  for (;;) {
    if (auto* place = llvm::dyn_cast<llvm::GEPOperator>(at))
      at = place->getPointerOperand();
    else if (auto* cast = llvm::dyn_cast<llvm::BitCastOperator>(at))
      at = cast->getOperand(0);
    else
      return *at;
  }
}

bool only_buffers(const TrapTest& test) {
  return !test.always && !test.may_be_null && test.divisor == nullptr &&
         llvm::all_of(test.objects, [](const Value* object) {
           return llvm::isa<llvm::Argument>(object) || object->getType()->getPointerAddressSpace() == kLocalSpace;
         });
}

std::uint64_t bytes_of_object(const Value& object) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&object);
  if (variable == nullptr || !variable->getValueType()->isSized()) return 0;
  return variable->getDataLayout().getTypeAllocSize(variable->getValueType());
}

std::string line_of_trap(const Instruction& instruction) {
  const llvm::DebugLoc& place = instruction.getDebugLoc();
  return place && place.getLine() != 0 ? "line " + std::to_string(place.getLine()) : std::string();
}

}  // namespace skmd::compiler
