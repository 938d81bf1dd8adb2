// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/widen.h"

#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/codegen/vector/prepare.h"
#include "cpu-driver/codegen/vector/widener.h"

namespace skmd::codegen {

namespace {

using llvm::Function;

constexpr unsigned kMaxLanes = 32;  // of bytes in the widest register that is used for them

// As `masked`, but for the parameter that tells whether the lane's item exists.
Function* declare(Function& masked, const WidenOptions& options) {
  llvm::LLVMContext& context = masked.getContext();
  llvm::SmallVector<llvm::Type*, 16> types;
  llvm::Argument* live = argument_with(masked, kLive);
  for (llvm::Argument& argument : masked.args())
    if (&argument != live) types.push_back(argument.getType());
  if (!options.full) types.push_back(llvm::FixedVectorType::get(llvm::Type::getInt1Ty(context), options.width));
  auto* type = llvm::FunctionType::get(masked.getReturnType(), types, false);
  const std::string name =
      masked.getName().str() + ".x" + std::to_string(options.width) + (options.full ? "" : ".live");
  Function* function =
      Function::Create(type, llvm::GlobalValue::InternalLinkage, masked.getAddressSpace(), name, masked.getParent());
  llvm::AttributeMask of_one_item;
  of_one_item.addAttribute(llvm::Attribute::Memory);
  of_one_item.addAttribute(kItem);
  of_one_item.addAttribute(kMasked);
  function->addFnAttrs(llvm::AttrBuilder(context, masked.getAttributes().getFnAttrs()).remove(of_one_item));
  for (llvm::Argument& argument : masked.args())
    if (&argument != live)
      function->addParamAttrs(argument.getArgNo(),
                              llvm::AttrBuilder(context, masked.getAttributes().getParamAttrs(argument.getArgNo())));
  return function;
}

domain::Status check(Function& masked, const WidenOptions& options) {
  if (!llvm::isPowerOf2_32(options.width) || options.width < 2 || options.width > kMaxLanes)
    return domain::Error{0, "lanes must be a power of two from 2 to 32, not " + std::to_string(options.width)};
  llvm::Argument* live = argument_with(masked, kLive);
  if (!masked.hasFnAttribute(kMasked) || live == nullptr || live->getArgNo() + 1 != masked.arg_size() ||
      !live->getType()->isIntegerTy(1))
    return domain::Error{0, masked.getName().str() + " is not in masked form"};
  return {};
}

domain::Status write(Function& source, Function& target, const WidenOptions& options,
                     llvm::FunctionAnalysisManager& analyses) {
  domain::Result<PrivateLayout> layout = PrivateLayout::of(source);
  if (!layout) return layout.error();
  // Without a full vector, lane 0's item may not exist.
  const Shapes shapes(source, *layout, options.width, /*trust_flags=*/options.full);
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(source);
  if (domain::Status status = Widener(source, target, shapes, *layout, dominators, options).run(); !status)
    return status;
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyFunction(target, &stream)) return domain::Error{0, "widening made invalid code: " + problem};
  return {};
}

void remove_dead(Function& function) {
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::reverse(block)))
      if (llvm::isInstructionTriviallyDead(&instruction)) instruction.eraseFromParent();
}

}  // namespace

domain::Result<Function*> widen(Function& masked, const WidenOptions& options,
                                llvm::FunctionAnalysisManager& analyses) {
  if (domain::Status status = check(masked, options); !status) return status.error();
  llvm::ValueToValueMapTy copies;
  Function* source = llvm::CloneFunction(&masked, copies);
  prepare(*source, options.full, analyses);
  Function* target = declare(masked, options);
  const domain::Status status = write(*source, *target, options, analyses);
  analyses.clear(*source, source->getName());
  source->eraseFromParent();
  if (!status) {
    target->eraseFromParent();
    return status.error();
  }
  remove_dead(*target);
  return target;
}

}  // namespace skmd::codegen
