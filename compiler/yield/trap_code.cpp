// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/trap_code.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include "compiler/yield/trap_points.h"
#include "compiler/yield/yield_constants.h"

namespace skmd::compiler {

namespace {

using llvm::IRBuilder;
using llvm::SCEV;
using llvm::Value;

llvm::FunctionCallee declare_bound(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *i32 = llvm::Type::getInt32Ty(context), *i64 = llvm::Type::getInt64Ty(context);
  llvm::FunctionCallee callee = module.getOrInsertFunction(kTrapBound, i64, i32, i64);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  return callee;
}

// i1; of a vector's elements one is enough.
Value* has_zero(IRBuilder<>& ir, Value& divisor) {
  const auto is_zero = [&](Value* number) {
    return ir.CreateICmpEQ(number, llvm::Constant::getNullValue(number->getType()));
  };
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(divisor.getType());
  if (vector == nullptr) return is_zero(&divisor);
  Value* any = ir.getFalse();
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    any = ir.CreateOr(any, is_zero(ir.CreateExtractElement(&divisor, ir.getInt32(i))));
  return any;
}

// OpenCL C has no numbers of other widths, but for what is cut to one and widened again
// (compiler/opencl_c/tidy_text.h).
bool is_printable(const SCEV& value) {
  const auto is_usual = [](const SCEV& number) {
    const llvm::Type* type = number.getType();
    const unsigned bits = type->isIntegerTy() ? type->getIntegerBitWidth() : 64;
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
  };
  const auto* cut = llvm::dyn_cast<llvm::SCEVTruncateExpr>(&value);
  return is_usual(value) || (cut != nullptr && is_usual(*cut->getOperand()));
}

}  // namespace

Value* bytes_between(IRBuilder<>& ir, Value& object, Value& address) {
  const llvm::DataLayout& layout = ir.GetInsertBlock()->getModule()->getDataLayout();
  Value* at = &address;
  Value* bytes = nullptr;
  while (at != &object) {
    auto* place = llvm::dyn_cast<llvm::GEPOperator>(at);
    if (place == nullptr) break;
    Value* step = llvm::emitGEPOffset(&ir, layout, place);
    bytes = bytes == nullptr ? step : ir.CreateAdd(bytes, step);
    at = place->getPointerOperand();
  }
  if (at != &object) {
    Value* rest = ir.CreateSub(ir.CreatePtrToInt(at, ir.getInt64Ty()), ir.CreatePtrToInt(&object, ir.getInt64Ty()));
    bytes = bytes == nullptr ? rest : ir.CreateAdd(bytes, rest);
  }
  return bytes == nullptr ? ir.getInt64(0) : bytes;
}

TrapCode::TrapCode(llvm::ScalarEvolution& evolution, llvm::BasicBlock& entry)
    : expander_(evolution, "trap"), entry_(entry) {}

bool TrapCode::may_compute(const TrapTest& test, const llvm::Instruction& place, llvm::ScalarEvolution& evolution,
                           const llvm::DominatorTree& dominators) {
  const llvm::SCEVExpander expander(evolution, "trap");
  const auto is_cheap = [&](const SCEV* value) {
    unsigned terms = 0;
    const bool unknown = llvm::SCEVExprContains(value, [&](const SCEV* part) {
      if (!is_printable(*part)) return true;
      const auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part);
      if (steps != nullptr && !steps->getLoop()->contains(&place)) return true;
      const auto* leaf = llvm::dyn_cast<llvm::SCEVUnknown>(part);
      const auto* made = leaf == nullptr ? nullptr : llvm::dyn_cast<llvm::Instruction>(leaf->getValue());
      return ++terms > tuning::kMaxTrapTerms || (made != nullptr && !dominators.dominates(made, &place));
    });
    return !unknown && expander.isSafeToExpand(value);
  };
  const auto* divisor = llvm::dyn_cast_or_null<llvm::Instruction>(test.divisor);
  return (divisor == nullptr || dominators.dominates(divisor, &place)) && llvm::all_of(test.offsets, is_cheap) &&
         llvm::all_of(test.guards, is_cheap) &&
         llvm::all_of(test.narrow, [&](const auto& value) { return is_cheap(value.first); });
}

Value* TrapCode::leaves(IRBuilder<>& ir, llvm::ArrayRef<TrapTest> tests) {
  Value* any = nullptr;
  for (const TrapTest& test : tests) {
    Value* one = fails(ir, test);
    any = any == nullptr ? one : ir.CreateOr(any, one);
  }
  return any;
}

Value* TrapCode::fails(IRBuilder<>& ir, const TrapTest& test) {
  if (test.always) return ir.getTrue();
  Value* failed = nullptr;
  const auto or_else = [&](Value* other) { failed = failed == nullptr ? other : ir.CreateOr(failed, other); };
  if (test.divisor != nullptr) {
    failed = has_zero(ir, *test.divisor);
  } else if (test.hoisted()) {
    for (const SCEV* offset : test.offsets)
      or_else(ir.CreateICmpUGE(computed(ir, *offset), bound(*test.objects.front(), test.bytes)));
  } else {
    Value* const only = test.objects.front();
    const auto [object, behind] =
        test.objects.size() == 1 ? std::pair(only, bound(*only, test.bytes)) : source(ir, *test.address, test.bytes);
    Value* offset = bytes_between(ir, *object, *test.address);
    if (test.from != 0) offset = ir.CreateSub(offset, ir.getInt64(static_cast<std::uint64_t>(test.from)));
    failed = ir.CreateICmpUGE(offset, behind);
  }
  for (const auto& [value, bits] : test.narrow)
    or_else(ir.CreateICmpUGE(computed(ir, *value), ir.getInt64(std::uint64_t{1} << bits)));
  for (const SCEV* guard : test.guards)
    failed = ir.CreateAnd(failed, ir.CreateICmpNE(computed(ir, *guard), ir.getInt64(0)));
  return failed;
}

// What the address is a place of, and the offsets there from which on so many bytes are not inside.
std::pair<Value*, Value*> TrapCode::source(IRBuilder<>& ir, Value& address, std::uint64_t bytes) {
  Value& object = source_of(address);
  auto* choice = llvm::dyn_cast<llvm::SelectInst>(&object);
  if (choice == nullptr) return {&object, bound(object, bytes)};
  const auto [first, behind_first] = source(ir, *choice->getTrueValue(), bytes);
  const auto [second, behind_second] = source(ir, *choice->getFalseValue(), bytes);
  return {ir.CreateSelect(choice->getCondition(), first, second),
          ir.CreateSelect(choice->getCondition(), behind_first, behind_second)};
}

Value* TrapCode::bound(Value& object, std::uint64_t bytes) {
  Value*& known = bounds_[{&object, bytes}];
  if (known != nullptr) return known;
  IRBuilder<> ir(entry_.getTerminator());
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&object)) {
    llvm::FunctionCallee callee = declare_bound(*entry_.getModule());
    return known = ir.CreateCall(callee, {ir.getInt32(argument->getArgNo()), ir.getInt64(bytes)}, "bound");
  }
  const std::uint64_t size = bytes_of_object(object);  // none of a null pointer's
  return known = ir.getInt64(size < bytes ? 0 : size - bytes + 1);
}

Value* TrapCode::computed(IRBuilder<>& ir, const SCEV& value) {
  return expander_.expandCodeFor(&value, ir.getInt64Ty(), ir.GetInsertPoint());
}

}  // namespace skmd::compiler
