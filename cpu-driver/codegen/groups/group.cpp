// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/groups/group.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstddef>

#include "cpu-driver/codegen/groups/group_builder.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

using llvm::BasicBlock;
using llvm::Value;

llvm::Function* declare_kernel(llvm::Module& module, const std::string& symbol) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i64, i64, pointer}, false);
  llvm::Function* made = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, symbol, module);
  made->setDoesNotThrow();
  made->addFnAttr("no-builtins");  // a call of memset has nowhere to go
  made->getArg(3)->addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(cpu::kScratchAlignment)));
  return made;
}

llvm::Function* make_group_function(const llvm::Function& kernel, const std::string& symbol, const Regions& regions,
                                    const GroupCode& code) {
  return GroupBuilder(kernel, symbol, regions, code).build();
}

namespace {

/// Writes the function that asks what a launch is like.
class Chooser {
 public:
  Chooser(llvm::Function& made, std::uint64_t limit)
      : made_(made), ir_(BasicBlock::Create(made.getContext(), "entry", &made)), fits_(all_below(limit)) {}

  void call(llvm::Function& callee) {
    callee.setLinkage(llvm::GlobalValue::InternalLinkage);
    ir_.CreateCall(&callee, {made_.getArg(0), made_.getArg(1), made_.getArg(2), made_.getArg(3)})->setTailCall();
    ir_.CreateRetVoid();
  }

  void call_if(Value* condition, llvm::Function& callee) {
    auto* yes = BasicBlock::Create(made_.getContext(), "yes", &made_);
    auto* no = BasicBlock::Create(made_.getContext(), "no", &made_);
    ir_.CreateCondBr(ir_.CreateAnd(fits_, condition), yes, no);
    ir_.SetInsertPoint(yes);
    call(callee);
    ir_.SetInsertPoint(no);
  }

  // The frame is only read, so that nothing is lost by asking all at once.
  Value* has_one_row() {
    Value* one = ir_.getInt64(1);
    return ir_.CreateAnd(ir_.CreateICmpEQ(local(1), one), ir_.CreateICmpEQ(local(2), one));
  }
  Value* has_neighbours() { return ir_.CreateICmpNE(local(0), ir_.getInt64(1)); }
  Value* has_lanes() {
    return ir_.CreateAnd(has_neighbours(), ir_.CreateIsNotNull(field(offsetof(cpu::SpanFrame, lane_groups))));
  }

 private:
  Value* field(std::size_t offset) {
    return ir_.CreateLoad(ir_.getInt64Ty(), ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), made_.getArg(0), offset));
  }
  Value* local(std::size_t d) { return field(offsetof(cpu::SpanFrame, local_size) + d * sizeof(std::uint64_t)); }

  Value* all_below(std::uint64_t limit) {
    Value* fits = ir_.getTrue();
    for (std::size_t d = 0; d < 3; ++d) {
      Value* offset = field(offsetof(cpu::SpanFrame, global_offset) + d * sizeof(std::uint64_t));
      Value* size = field(offsetof(cpu::SpanFrame, global_size) + d * sizeof(std::uint64_t));
      fits = ir_.CreateAnd(fits, ir_.CreateICmpULE(offset, ir_.getInt64(limit)));
      fits = ir_.CreateAnd(fits, ir_.CreateICmpULE(size, ir_.getInt64(limit)));
      fits = ir_.CreateAnd(fits, ir_.CreateICmpULE(ir_.CreateAdd(offset, size), ir_.getInt64(limit)));
    }
    return fits;
  }

  llvm::Function& made_;
  llvm::IRBuilder<> ir_;
  Value* fits_;
};

}  // namespace

llvm::Function* make_choice(const std::string& symbol, const Versions& versions) {
  llvm::Function* made = declare_kernel(*versions.limited->getParent(), symbol);
  Chooser chooser(*made, versions.limit);
  if (versions.joined != nullptr) chooser.call_if(chooser.has_one_row(), *versions.joined);
  if (versions.lanes != nullptr) chooser.call_if(chooser.has_lanes(), *versions.lanes);
  chooser.call_if(chooser.has_neighbours(), *versions.limited);
  chooser.call(*versions.general);
  return made;
}

}  // namespace skmd::codegen
