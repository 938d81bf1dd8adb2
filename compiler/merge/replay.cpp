// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/replay.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <vector>

#include "compiler/analysis/expand_builtins.h"
#include "compiler/analysis/kernel_view.h"
#include "compiler/ir/address_spaces.h"
#include "compiler/ir/builtin.h"
#include "compiler/ir/lanes.h"
#include "compiler/merge/merge_constants.h"

namespace skmd::compiler {

namespace {

using llvm::CallInst;
using llvm::Instruction;
using llvm::Value;

unsigned space_of(const Value* pointer) { return pointer->getType()->getPointerAddressSpace(); }
bool is_shared(const Value* pointer) { return space_of(pointer) == kGlobalSpace || space_of(pointer) == kGenericSpace; }

void mark(llvm::IRBuilder<>& ir, Value* place, std::uint64_t width, Value* count) {
  llvm::Module& module = *ir.GetInsertBlock()->getModule();
  auto* type = llvm::FunctionType::get(ir.getVoidTy(), {place->getType(), ir.getInt64Ty(), ir.getInt64Ty()}, false);
  const std::string name = std::string(kReplay) + ".p" + std::to_string(space_of(place));
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, type);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  // Bytes that a merge function loads are not written by the launch, so loads may pass the markers.
  function->setOnlyAccessesInaccessibleMemory();
  ir.CreateCall(callee, {place, ir.getInt64(width), ir.CreateZExtOrTrunc(count, ir.getInt64Ty())});
}

// The widest unit of at most 8 bytes that divides `bytes` and `align`: what a copy of structures moves at a time.
std::uint64_t unit_of(std::uint64_t bytes, std::uint64_t align) {
  std::uint64_t unit = 8;
  while (unit > 1 && (bytes % unit != 0 || align % unit != 0)) unit /= 2;
  return unit;
}

void mark_store(llvm::StoreInst& store) {
  llvm::IRBuilder<> ir(&store);
  llvm::Type* type = store.getValueOperand()->getType();
  const std::uint64_t bytes = store.getModule()->getDataLayout().getTypeStoreSize(type);
  mark(ir, store.getPointerOperand(), bytes, ir.getInt64(1));
  store.eraseFromParent();
}

// memcpy, memmove and memset of structures and arrays.
bool mark_transfer(llvm::MemIntrinsic& transfer) {
  if (!is_shared(transfer.getDest())) return false;
  llvm::IRBuilder<> ir(&transfer);
  Value* length = transfer.getLength();
  const std::uint64_t align = transfer.getDestAlign().valueOrOne().value();
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(length);
  const std::uint64_t unit = constant == nullptr ? 1 : unit_of(constant->getZExtValue(), align);
  mark(ir, transfer.getDest(), unit, constant == nullptr ? length : ir.getInt64(constant->getZExtValue() / unit));
  transfer.eraseFromParent();
  return true;
}

// The application's value is a 3-vector: the fourth element is padding.
void mark_store_of_three(CallInst& call) {
  llvm::IRBuilder<> ir(&call);
  llvm::Type* element = call.getArgOperand(0)->getType()->getScalarType();
  mark(ir, call.getArgOperand(1), call.getModule()->getDataLayout().getTypeStoreSize(element), ir.getInt64(3));
  call.eraseFromParent();
}

// vstoren(value, offset, pointer); the forms that convert to half stay and are an obstacle.
bool mark_vector_store(CallInst& call, llvm::StringRef name) {
  if (!name.consume_front("vstore") || name.starts_with("_") || name.starts_with("a_")) return false;
  if (call.arg_size() != 3 || !call.getArgOperand(2)->getType()->isPointerTy()) return false;
  Value* pointer = call.getArgOperand(2);
  if (!is_shared(pointer)) return false;
  llvm::IRBuilder<> ir(&call);
  llvm::Type* type = call.getArgOperand(0)->getType();
  const std::uint64_t width = call.getModule()->getDataLayout().getTypeStoreSize(type->getScalarType());
  const unsigned lanes = lanes_of(type);
  Value* offset =
      ir.CreateMul(ir.CreateZExtOrTrunc(call.getArgOperand(1), ir.getInt64Ty()), ir.getInt64(width * lanes));
  mark(ir, ir.CreatePtrAdd(pointer, offset), width, ir.getInt64(lanes));
  call.eraseFromParent();
  return true;
}

// async_work_group_copy(destination, source, number, event): every work-item of the group asks for the whole copy.
bool mark_group_copy(CallInst& call, const Builtin& builtin) {
  if (builtin.name != "async_work_group_copy" || call.arg_size() < 4) return false;
  const unsigned bytes = pointee_bytes(builtin.parameters);
  const unsigned element = pointee_element_bytes(builtin.parameters);
  Value* destination = call.getArgOperand(0);
  if (bytes == 0 || builtin.parameters.contains("Dv3_")) return false;
  llvm::IRBuilder<> ir(&call);
  if (is_shared(destination)) {
    Value* number = ir.CreateZExtOrTrunc(call.getArgOperand(2), ir.getInt64Ty());
    mark(ir, destination, element, ir.CreateMul(number, ir.getInt64(bytes / element)));
  } else if (space_of(destination) != kLocalSpace) {
    return false;
  }
  call.replaceAllUsesWith(llvm::PoisonValue::get(call.getType()));  // events decide nothing
  call.eraseFromParent();
  return true;
}

// Its effect is another rung's business, and where its result decides anything, the load that stands for it is left.
bool drop_atomic(CallInst& call, llvm::StringRef name) {
  if (!name.starts_with("atomic_") && !name.starts_with("atom_")) return false;
  if (name.contains("compare_exchange") || name.contains("flag") || call.arg_empty()) return false;
  Value* pointer = call.getArgOperand(0);
  if (!pointer->getType()->isPointerTy() || name == "atomic_work_item_fence") return false;
  if (!is_shared(pointer) && space_of(pointer) != kLocalSpace) return false;
  if (!call.use_empty()) {
    if (!call.getType()->isIntegerTy()) return false;
    llvm::IRBuilder<> ir(&call);
    call.replaceAllUsesWith(ir.CreateLoad(call.getType(), pointer));
  }
  call.eraseFromParent();
  return true;
}

bool is_harmless(const CallInst& call, llvm::StringRef name) {
  if (!call.getType()->isVoidTy()) return false;
  return llvm::StringSwitch<bool>(name)
      .Cases({"barrier", "work_group_barrier", "mem_fence", "read_mem_fence", "write_mem_fence"}, true)
      .Cases({"atomic_work_item_fence", "prefetch", "wait_group_events"}, true)
      .Default(false);
}

// fract, modf and their like write through a pointer to private memory, if that is all, a dead variable.
void confine(CallInst& call, llvm::StringRef name) {
  const bool two_results = llvm::StringSwitch<bool>(name)
                               .Cases({"fract", "modf", "sincos", "frexp", "remquo", "lgamma_r"}, true)
                               .Default(false);
  if (!two_results || call.arg_empty()) return;
  const unsigned last = call.arg_size() - 1;
  if (!call.getArgOperand(last)->getType()->isPointerTy() || space_of(call.getArgOperand(last)) != kPrivateSpace)
    return;
  call.setMemoryEffects(llvm::MemoryEffects::argMemOnly(llvm::ModRefInfo::Mod));
  call.addParamAttr(last, llvm::Attribute::WriteOnly);
  call.addParamAttr(last, llvm::Attribute::getWithCaptureInfo(call.getContext(), llvm::CaptureInfo::none()));
  call.addFnAttr(llvm::Attribute::WillReturn);
  call.addFnAttr(llvm::Attribute::NoUnwind);
}

void rework_call(CallInst& call) {
  if (auto* transfer = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
    if (!mark_transfer(*transfer) && space_of(transfer->getDest()) == kLocalSpace) transfer->eraseFromParent();
    return;
  }
  if (call.isLifetimeStartOrEnd() || llvm::isa<llvm::AssumeInst>(call)) return call.eraseFromParent(), void();
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || callee->isIntrinsic()) return;
  if (callee->getName().starts_with(kStoreOfThree)) return mark_store_of_three(call);
  const Builtin builtin = builtin_of(call);
  if (is_harmless(call, builtin.name)) return call.eraseFromParent(), void();
  if (!builtin.mangled) return;
  if (mark_vector_store(call, builtin.name) || mark_group_copy(call, builtin) || drop_atomic(call, builtin.name))
    return;
  confine(call, builtin.name);
}

void rework(Instruction& instruction) {
  // Indices that overflow in C wrap on every device: nothing is to follow from their not doing so.
  instruction.dropPoisonGeneratingAnnotations();
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    if (store->isVolatile() || store->isAtomic()) return;
    if (is_shared(store->getPointerOperand())) return mark_store(*store);
    if (space_of(store->getPointerOperand()) == kLocalSpace) store->eraseFromParent();
    return;
  }
  if (auto* call = llvm::dyn_cast<CallInst>(&instruction)) return rework_call(*call);
  if (llvm::isa<llvm::FenceInst>(instruction)) instruction.eraseFromParent();
}

// LLVM keeps loops that do nothing unless told otherwise; the kernel's loops all end (prepare.h).
void remove_dead_loops() {
  auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find("adce-remove-loops");
  if (found != options.end()) static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(true);
}

// A private variable that is only ever loaded and stored directly.
struct Variable {
  llvm::SmallVector<Instruction*, 8> writes;
  llvm::SmallVector<Instruction*, 8> loads;
};

// False if its address goes anywhere else.
bool collect_uses(Value& address, Variable& variable) {
  for (llvm::User* user : address.users()) {
    auto* instruction = llvm::cast<Instruction>(user);
    if (llvm::isa<llvm::GetElementPtrInst>(instruction)) {
      if (!collect_uses(*instruction, variable)) return false;
    } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction); load != nullptr && load->isSimple()) {
      variable.loads.push_back(load);
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(instruction);
               store != nullptr && store->isSimple() && store->getValueOperand() != &address) {
      variable.writes.push_back(store);
    } else if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(instruction); fill != nullptr && !fill->isVolatile()) {
      variable.writes.push_back(fill);
    } else {
      return false;
    }
  }
  return true;
}

// Whether what is loaded from `variable` ends in nothing but stores of `dead`.
bool feeds_only(const Variable& variable, const llvm::SmallPtrSetImpl<Instruction*>& dead) {
  llvm::SmallVector<Instruction*, 16> pending(variable.loads.begin(), variable.loads.end());
  llvm::SmallPtrSet<Instruction*, 32> seen(pending.begin(), pending.end());
  while (!pending.empty()) {
    for (llvm::User* user : pending.pop_back_val()->users()) {
      auto* instruction = llvm::cast<Instruction>(user);
      if (dead.contains(instruction)) continue;
      if (instruction->isTerminator() || instruction->mayHaveSideEffects()) return false;
      if (seen.insert(instruction).second) pending.push_back(instruction);
    }
  }
  return true;
}

// Sums and the like: variables whose values only ever become values of such variables again.
void drop_dead_variables(llvm::Function& kernel) {
  std::vector<Variable> variables;
  for (Instruction& instruction : kernel.getEntryBlock()) {
    Variable variable;
    if (llvm::isa<llvm::AllocaInst>(instruction) && collect_uses(instruction, variable))
      variables.push_back(std::move(variable));
  }
  llvm::SmallPtrSet<Instruction*, 32> dead;
  for (std::size_t before = variables.size() + 1; variables.size() < before;) {
    before = variables.size();
    dead.clear();
    for (const Variable& variable : variables) dead.insert(variable.writes.begin(), variable.writes.end());
    llvm::erase_if(variables, [&](const Variable& variable) { return !feeds_only(variable, dead); });
  }
  for (Instruction* write : dead) write->eraseFromParent();
}

}  // namespace

bool is_replay(const Instruction& instruction) {
  const auto* call = llvm::dyn_cast<CallInst>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName().starts_with(kReplay);
}

void mark_stores(llvm::Function& kernel) {
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) rework(instruction);
}

void strip(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  remove_dead_loops();
  for (int round = 0; round < tuning::kMaxSlicingRounds; ++round) {
    const unsigned before = kernel.getInstructionCount();
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::DSEPass());
    passes.addPass(llvm::ADCEPass());
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopDeletionPass()));
    passes.addPass(llvm::SimplifyCFGPass());
    passes.run(kernel, analyses);
    drop_dead_variables(kernel);
    analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
    if (round > 0 && kernel.getInstructionCount() == before) break;
  }
}

}  // namespace skmd::compiler
