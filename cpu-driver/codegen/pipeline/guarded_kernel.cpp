// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/guarded_kernel.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/client/trapping.h"
#include "compiler/ir/address_spaces.h"
#include "compiler/ir/find_kernel.h"
#include "compiler/opencl_c/tidy_text.h"
#include "compiler/yield/strips.h"
#include "compiler/yield/trap_code.h"
#include "compiler/yield/trap_tests.h"
#include "compiler/yield/trap_words.h"
#include "cpu-driver/codegen/check/stand_in.h"
#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/item/own_builtins.h"
#include "cpu-driver/codegen/pipeline/guardable.h"
#include "cpu-driver/codegen/pipeline/kernel_work.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

using llvm::Function;
using llvm::IRBuilder;
using llvm::Value;
namespace control = compiler::trap_control;

class Maker {
 public:
  Maker(Function& kernel, const KernelWork& work)
      : given_(kernel),
        item_(*work.general.item),
        arguments_(static_cast<unsigned>(kernel.arg_size())),
        local_bytes_(work.local_bytes),
        local_(work.local) {}

  domain::Result<Function*> run() {
    declare();
    auto* entry = llvm::BasicBlock::Create(made_->getContext(), "entry", made_);
    IRBuilder<> ir(entry);
    begin_ = placeholder(ir, ir.getInt32Ty());
    llvm::ValueToValueMapTy map;
    for (llvm::Argument& argument : given_.args())
      map[item_.getArg(argument.getArgNo())] = made_->getArg(argument.getArgNo());
    map_values(ir, map);
    llvm::SmallVector<llvm::ReturnInst*, 4> returns;
    const llvm::AttributeList own = made_->getAttributes();
    llvm::CloneFunctionInto(made_, &item_, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
    made_->setAttributes(own);
    made_->setCallingConv(llvm::CallingConv::SPIR_KERNEL);
    made_->setLinkage(llvm::GlobalValue::ExternalLinkage);
    join(*entry);
    if (domain::Status status = stand_in(); !status) return drop(status.error());
    replace_barriers();
    see_distances();
    go_from_bases();
    llvm::stripDebugInfo(*made_);
    if (llvm::verifyFunction(*made_)) return drop(no_form("the changed code is not well-formed"));
    return made_;
  }

 private:
  domain::Error drop(domain::Error why) {
    made_->eraseFromParent();
    return why;
  }

  static llvm::Instruction* placeholder(IRBuilder<>& ir, llvm::Type* type) {
    return llvm::cast<llvm::Instruction>(ir.CreateFreeze(llvm::PoisonValue::get(type)));
  }

  void declare() {
    llvm::LLVMContext& context = given_.getContext();
    llvm::SmallVector<llvm::Type*, 16> types(given_.getFunctionType()->params());
    types.push_back(llvm::PointerType::get(context, kGlobalSpace));
    made_ = Function::Create(llvm::FunctionType::get(given_.getReturnType(), types, false),
                             llvm::GlobalValue::ExternalLinkage, given_.getName() + ".guarded", *given_.getParent());
    made_->copyMetadata(&given_, 0);
    made_->setSubprogram(nullptr);
    for (llvm::Argument& argument : given_.args()) {
      llvm::Argument* own = made_->getArg(argument.getArgNo());
      own->setName(argument.getName());
      if (!argument.hasByValAttr()) continue;
      llvm::AttrBuilder attributes(context, given_.getAttributes().getParamAttrs(argument.getArgNo()));
      own->addAttrs(attributes);
    }
    control_ = made_->getArg(arguments_);
    control_->setName("skmd_control");
  }

  Value* query(IRBuilder<>& ir, llvm::StringRef name, unsigned dimension) const {
    Value* answer = compiler::query_builtin(ir, name, dimension);
    if (name == "_Z12get_local_idj" && local_[dimension] != 0)
      llvm::cast<llvm::CallInst>(answer)->addRangeRetAttr(
          llvm::ConstantRange(llvm::APInt(64, 0), llvm::APInt(64, local_[dimension])));
    return answer;
  }

  // What the item function is given, computed once.
  void map_values(IRBuilder<>& ir, llvm::ValueToValueMapTy& map) {
    const auto put = [&](unsigned index, Value* value) { map[item_value(item_, arguments_, index)] = value; };
    const compiler::Geometry at = compiler::trap_group(ir, *control_, [&](llvm::StringRef name, unsigned dimension) {
                                    return query(ir, name, dimension);
                                  }).geometry;
    put(kWorkDim, ir.CreateZExt(at.work_dim, ir.getInt64Ty()));
    for (unsigned d = 0; d < 3; ++d) {
      put(kOffset + d, at.offset[d]);
      put(kSize + d, at.size[d]);
      put(kGroups + d, at.groups[d]);
      put(kLocalSize + d, at.local[d]);
      put(kGroup + d, at.group_id[d]);
      put(kFirst + d, ir.CreateAdd(at.offset[d], ir.CreateMul(at.group_id[d], at.local[d])));
      put(kLocalId + d, at.local_id[d]);
    }
    put(kItems, llvm::ConstantPointerNull::get(llvm::PointerType::get(ir.getContext(), kPrivateSpace)));
    put(kPaddedItems, ir.getInt64(0));
    put(kRow, ir.getInt64(0));
    put(kLocals, locals(ir));
    frame_ = placeholder(ir, llvm::PointerType::get(ir.getContext(), kConstantSpace));
    put(kFrame, frame_);
  }

  // All local variables together, as span code has them: what is outside of one may be inside of another.
  Value* locals(IRBuilder<>& ir) {
    if (local_bytes_ == 0) return llvm::ConstantPointerNull::get(llvm::PointerType::get(ir.getContext(), kLocalSpace));
    llvm::Type* type = llvm::ArrayType::get(ir.getInt8Ty(), local_bytes_);
    auto* variables = new llvm::GlobalVariable(*made_->getParent(), type, false, llvm::GlobalValue::InternalLinkage,
                                               llvm::UndefValue::get(type), made_->getName() + ".locals", nullptr,
                                               llvm::GlobalValue::NotThreadLocal, kLocalSpace);
    variables->setAlignment(llvm::Align(cpu::kScratchAlignment));
    return variables;
  }

  // The copy behind `entry`, whose values it uses.
  void join(llvm::BasicBlock& entry) {
    llvm::BasicBlock* body = entry.getNextNode();
    IRBuilder<>(&entry).CreateBr(body);
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(*body))
      if (llvm::isa<llvm::AllocaInst>(instruction)) instruction.moveBefore(begin_->getIterator());
    begin_->eraseFromParent();
  }

  domain::Status stand_in() {
    llvm::SmallDenseMap<unsigned, Value*, 8> sizes;
    StandIn by;
    by.size = [&](IRBuilder<>&, unsigned argument) {
      Value*& size = sizes[argument];
      IRBuilder<> ir(frame_);
      if (size == nullptr) size = compiler::wide_trap_word(ir, *control_, control::kSizes + 2 * argument);
      return size;
    };
    by.tell = [&](IRBuilder<>& ir, llvm::ArrayRef<Value*> told) {
      llvm::SmallVector<llvm::Type*, 7> types{control_->getType(), ir.getInt32Ty()};
      types.append(told.size() - 1, ir.getInt64Ty());
      llvm::FunctionCallee callee = made_->getParent()->getOrInsertFunction(
          compiler::kTellTrap, llvm::FunctionType::get(ir.getVoidTy(), types, false));
      llvm::SmallVector<Value*, 7> values{control_, ir.CreateTrunc(told.front(), ir.getInt32Ty())};
      llvm::append_range(values, told.drop_front());
      ir.CreateCall(callee, values);
    };
    if (domain::Status status = stand_in_for(*frame_, by); !status) return no_form(status.error().reason);
    frame_->eraseFromParent();
    return {};
  }

  void replace_barriers() {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(*made_))) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call == nullptr || call->getCalledFunction()->getName() != kBarrier) continue;
      IRBuilder<> ir(call);
      compiler::add_barrier(ir, compiler::kLocalFence | compiler::kGlobalFence);
      ir.CreateCall(made_->getParent()->getOrInsertFunction(compiler::kBehindBarrier, ir.getVoidTy()));
      call->eraseFromParent();
    }
  }

  // How far two addresses are apart, without the addresses where it can be seen.
  void see_distances() {
    llvm::SmallVector<llvm::Constant*, 8> variables;
    for (llvm::GlobalVariable& variable : made_->getParent()->globals()) variables.push_back(&variable);
    llvm::convertUsersOfConstantsToInstructions(variables, made_);
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(*made_))) {
      if (instruction.getOpcode() != llvm::Instruction::Sub) continue;
      auto* to = llvm::dyn_cast<llvm::PtrToIntOperator>(instruction.getOperand(0));
      auto* from = llvm::dyn_cast<llvm::PtrToIntOperator>(instruction.getOperand(1));
      if (to == nullptr || from == nullptr) continue;
      IRBuilder<> ir(&instruction);
      instruction.replaceAllUsesWith(compiler::bytes_between(ir, *from->getPointerOperand(), *to->getPointerOperand()));
      instruction.eraseFromParent();
    }
  }

  // OpenCL C knows no address outside of an object, not even one that is not accessed. That of an access is computed
  // where it is known to be inside, from the object's; steps to others are made with numbers.
  void go_from_bases() {
    for (llvm::Instruction& instruction : llvm::instructions(*made_)) {
      const unsigned operand = address_operand(instruction);
      if (operand == kNone || is_private(*instruction.getOperand(operand))) continue;
      Value& base = compiler::source_of(*instruction.getOperand(operand));
      if (!llvm::isa<llvm::Argument, llvm::GlobalVariable>(base)) continue;
      IRBuilder<> ir(&instruction);
      Value* bytes = compiler::bytes_between(ir, base, *instruction.getOperand(operand));
      instruction.setOperand(operand, ir.CreateInBoundsGEP(ir.getInt8Ty(), &base, bytes));
    }
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(*made_))) {
      auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
      if (place == nullptr || place->isInBounds() || is_private(*place)) continue;
      IRBuilder<> ir(place);
      Value* from = place->getPointerOperand();
      Value* bytes = compiler::bytes_between(ir, *from, *place);
      Value* number = ir.CreateAdd(ir.CreatePtrToInt(from, ir.getInt64Ty()), bytes);
      if (!place->use_empty()) place->replaceAllUsesWith(ir.CreateIntToPtr(number, place->getType()));
      place->eraseFromParent();
    }
  }

  static constexpr unsigned kNone = ~0u;

  static unsigned address_operand(const llvm::Instruction& instruction) {
    if (llvm::isa<llvm::LoadInst>(instruction)) return llvm::LoadInst::getPointerOperandIndex();
    if (llvm::isa<llvm::StoreInst>(instruction)) return llvm::StoreInst::getPointerOperandIndex();
    if (llvm::isa<llvm::AtomicRMWInst>(instruction)) return llvm::AtomicRMWInst::getPointerOperandIndex();
    return llvm::isa<llvm::AtomicCmpXchgInst>(instruction) ? llvm::AtomicCmpXchgInst::getPointerOperandIndex() : kNone;
  }

  static bool is_private(const Value& address) { return address.getType()->getPointerAddressSpace() == kPrivateSpace; }

  Function& given_;
  Function& item_;
  const unsigned arguments_;
  const std::uint64_t local_bytes_;
  const std::array<std::uint64_t, 3> local_;  // the local size that the kernel demands; zeros: any
  Function* made_ = nullptr;
  llvm::Argument* control_ = nullptr;
  llvm::Instruction* begin_ = nullptr;  // in front of what is computed once
  llvm::Instruction* frame_ = nullptr;  // stands for the frame until nothing uses it
};

// Guards that no item of any launch fails.
void drop_known_guards(Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
    if (compare == nullptr || compare->getPredicate() != llvm::ICmpInst::ICMP_ULE) continue;
    const auto* most = llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
    if (most == nullptr) continue;
    const llvm::SCEV* offset = evolution.getSCEV(compare->getOperand(0));
    if (evolution.getUnsignedRangeMax(offset).ule(most->getValue()))
      compare->replaceAllUsesWith(llvm::ConstantInt::getTrue(compare->getType()));
  }
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
}

}  // namespace

// PoCL (3.1) runs a condition that comes right behind a barrier once for all items of a group, as if it had to be the
// same for all of them: guards are not.
const char* const kGuardText = R"(#ifdef POCL_DEVICE_ADDRESS_BITS
#define skmd_behind_barrier() __asm__ volatile("")
#else
#define skmd_behind_barrier()
#endif
__attribute__((noinline)) void skmd_trap(__global uint* control, uint site, ulong offset, ulong size, ulong x, ulong y,
                                         ulong z) {
  volatile __global uint* const words = (volatile __global uint*)control;
  const uint before = atomic_inc(words);
  if (before == 0xffffffffu) atomic_inc(words + 1);
  if (before != 0) return;
  words[2] = site;
  words[3] = (uint)offset, words[4] = (uint)(offset >> 32);
  words[5] = (uint)size, words[6] = (uint)(size >> 32);
  words[7] = (uint)x, words[8] = (uint)(x >> 32);
  words[9] = (uint)y, words[10] = (uint)(y >> 32);
  words[11] = (uint)z, words[12] = (uint)(z >> 32);
}

)";
static_assert(control::kCount == 0 && control::kSite == 2 && control::kOffset == 3 && control::kSize == 5 &&
              control::kItem == 7 && control::kReportWords == 13);

domain::Result<GuardedKernel> make_guarded_kernel(llvm::Module& module, const std::string& name,
                                                  llvm::FunctionAnalysisManager& analyses) {
  GenerateOptions options;
  options.isa = Isa::sse;
  options.width = 1;
  options.checked = true;
  Function* kernel = compiler::find_kernel(module, name);
  if (kernel == nullptr) return no_form("it has no code");
  if (domain::Status status = may_be_guarded(*kernel); !status) return status.error();
  KernelWork work = start_kernel(module, name, options, analyses);
  auto made = [&]() -> domain::Result<GuardedKernel> {
    if (!work.note.obstacle.empty()) return no_form(work.note.obstacle);
    if (domain::Status status = is_guarded(*work.general.item); !status) return status.error();
    auto guarded = Maker(*kernel, work).run();
    if (!guarded) return guarded.error();
    drop_known_guards(**guarded, analyses);
    compiler::tidy_text(**guarded, analyses);
    return GuardedKernel{*guarded, std::move(work.sites)};
  }();
  drop_items(work, analyses);
  return made;
}

}  // namespace skmd::codegen
