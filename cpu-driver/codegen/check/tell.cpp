// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/check/tell.h"

#include <llvm/IR/Module.h>
#include <llvm/Support/ModRef.h>

#include <algorithm>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/item/item.h"

namespace skmd::codegen {

namespace {

llvm::FunctionCallee declare_failed(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  llvm::Type* frame = llvm::PointerType::get(context, kConstantSpace);
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(kCheckFailed, llvm::Type::getVoidTy(context), frame, i64, i64, i64, i64, i64, i64);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  // The report is memory that the module cannot access.
  function->setMemoryEffects(llvm::MemoryEffects::argMemOnly(llvm::ModRefInfo::Ref) |
                             llvm::MemoryEffects::inaccessibleMemOnly());
  return callee;
}

}  // namespace

CheckedItem checked_item(llvm::Function& item, unsigned arguments) {
  CheckedItem parts;
  for (unsigned at = 0; at < arguments; ++at) parts.arguments.push_back(item.getArg(at));
  parts.frame = item_value(item, arguments, kFrame);
  parts.locals = item_value(item, arguments, kLocals);
  for (unsigned d = 0; d < 3; ++d) {
    parts.first[d] = item_value(item, arguments, kFirst + d);
    parts.local_id[d] = item_value(item, arguments, kLocalId + d);
  }
  return parts;
}

Tell::Tell(llvm::Function& item, const CheckedItem& parts)
    : parts_(parts),
      failed_(declare_failed(*item.getParent())),
      site_(static_cast<std::uint64_t>(std::count(parts.sites.begin(), parts.sites.end(), '\n'))) {}

void Tell::operator()(llvm::IRBuilder<>& ir, llvm::Value* offset, llvm::Value* size) {
  llvm::SmallVector<llvm::Value*, 7> values{parts_.frame, ir.getInt64(site_++), offset, size};
  for (unsigned d = 0; d < 3; ++d) values.push_back(ir.CreateAdd(parts_.first[d], parts_.local_id[d]));
  ir.CreateCall(failed_, values);
}

}  // namespace skmd::codegen
