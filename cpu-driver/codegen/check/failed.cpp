// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/IRBuilder.h>

#include <cstddef>
#include <cstdint>

#include "cpu-driver/codegen/check/checks.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

using llvm::Value;

// The thread that counts first writes the report. Other threads may count meanwhile; all is read when the launch has
// ended.
void build(llvm::Function& function) {
  llvm::LLVMContext& context = function.getContext();
  auto* entry = llvm::BasicBlock::Create(context, "entry", &function);
  auto* first = llvm::BasicBlock::Create(context, "first", &function);
  auto* end = llvm::BasicBlock::Create(context, "end", &function);
  llvm::IRBuilder<> ir(entry);
  const auto field = [&](Value* of, std::size_t offset) {
    return ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), of, offset);
  };
  Value* report =
      ir.CreateAlignedLoad(ir.getPtrTy(), field(function.getArg(0), offsetof(cpu::SpanFrame, report)), llvm::Align(8));
  Value* before = ir.CreateAtomicRMW(llvm::AtomicRMWInst::Add, field(report, offsetof(cpu::CheckReport, count)),
                                     ir.getInt64(1), llvm::Align(8), llvm::AtomicOrdering::Monotonic);
  ir.CreateCondBr(ir.CreateIsNull(before), first, end);
  ir.SetInsertPoint(first);
  const auto put = [&](std::size_t offset, unsigned argument) {
    ir.CreateAlignedStore(function.getArg(argument), field(report, offset), llvm::Align(8));
  };
  put(offsetof(cpu::CheckReport, site), 1);
  put(offsetof(cpu::CheckReport, offset), 2);
  put(offsetof(cpu::CheckReport, size), 3);
  for (unsigned d = 0; d < 3; ++d) put(offsetof(cpu::CheckReport, item) + d * sizeof(std::uint64_t), 4 + d);
  ir.CreateBr(end);
  llvm::ReturnInst::Create(context, nullptr, end);
}

}  // namespace

void define_check_failed(llvm::Module& module) {
  llvm::Function* function = module.getFunction(kCheckFailed);
  if (function == nullptr || !function->isDeclaration()) return;
  function->setLinkage(llvm::GlobalValue::InternalLinkage);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  build(*function);
}

}  // namespace skmd::codegen
