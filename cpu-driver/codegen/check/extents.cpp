// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/check/extents.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstddef>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

using llvm::Value;

bool is_buffer_space(unsigned space) { return space == kGlobalSpace || space == kConstantSpace; }

}  // namespace

Value* Extents::size_of(const llvm::Argument& argument) {
  llvm::BasicBlock& entry = item_.getEntryBlock();
  llvm::IRBuilder<> ir(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  ir.SetCurrentDebugLocation({});
  const auto load = [&](llvm::Type* type, Value* from, std::uint64_t offset) {
    llvm::LoadInst* made =
        ir.CreateAlignedLoad(type, ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), from, offset), llvm::Align(8));
    made->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(item_.getContext(), {}));
    return made;
  };
  Value* list = load(ir.getPtrTy(kConstantSpace), parts_.frame, offsetof(cpu::SpanFrame, arguments));
  return load(ir.getInt64Ty(), list,
              argument.getArgNo() * sizeof(cpu::SpanArgument) + offsetof(cpu::SpanArgument, size));
}

Extent* Extents::argument(llvm::Argument& argument) {
  const auto* type = llvm::dyn_cast<llvm::PointerType>(argument.getType());
  if (type == nullptr || !llvm::is_contained(parts_.arguments, &argument)) return nullptr;
  if (!is_buffer_space(type->getAddressSpace()) && type->getAddressSpace() != kLocalSpace) return nullptr;
  Extent& extent = known_[&argument];
  if (extent.base == nullptr) extent = {&argument, size_of(argument), argument.getName().str()};
  return &extent;
}

Extent* Extents::variable(llvm::GlobalVariable& variable) {
  if (!is_buffer_space(variable.getAddressSpace()) || !variable.getValueType()->isSized()) return nullptr;
  Extent& extent = known_[&variable];
  const std::uint64_t size = item_.getDataLayout().getTypeAllocSize(variable.getValueType());
  extent = {&variable, llvm::ConstantInt::get(llvm::Type::getInt64Ty(item_.getContext()), size),
            variable.getName().str()};
  return &extent;
}

Extent* Extents::local_variables() {
  Extent& extent = known_[parts_.locals];
  llvm::Type* i64 = llvm::Type::getInt64Ty(item_.getContext());
  extent = {parts_.locals, llvm::ConstantInt::get(i64, parts_.local_bytes), "the local variables"};
  return &extent;
}

Extent* Extents::extent_of(Value& object) {
  if (&object == parts_.locals) return local_variables();
  if (auto* given = llvm::dyn_cast<llvm::Argument>(&object)) return argument(*given);
  if (auto* global = llvm::dyn_cast<llvm::GlobalVariable>(&object)) return variable(*global);
  if (auto* own = llvm::dyn_cast<llvm::AllocaInst>(&object)) {
    const auto size = own->getAllocationSize(item_.getDataLayout());
    if (!size || size->isScalable()) return nullptr;
    Extent& extent = known_[own];
    extent = {own, llvm::ConstantInt::get(llvm::Type::getInt64Ty(item_.getContext()), size->getFixedValue()),
              own->hasName() ? own->getName().str() : "a private variable"};
    return &extent;
  }
  return nullptr;
}

std::vector<Extent> Extents::every_buffer() {
  std::vector<Extent> all;
  for (llvm::Argument* given : parts_.arguments) {
    const auto* type = llvm::dyn_cast<llvm::PointerType>(given->getType());
    if (type != nullptr && is_buffer_space(type->getAddressSpace())) all.push_back(*argument(*given));
  }
  for (llvm::GlobalVariable& global : item_.getParent()->globals())
    if (!global.isDeclaration())
      if (const Extent* extent = variable(global)) all.push_back(*extent);
  // There is nothing that it may access.
  if (all.empty()) {
    llvm::Type* i64 = llvm::Type::getInt64Ty(item_.getContext());
    all.push_back({llvm::ConstantPointerNull::get(llvm::PointerType::get(item_.getContext(), kGlobalSpace)),
                   llvm::ConstantInt::get(i64, 0), "no buffer"});
  }
  return all;
}

std::vector<Extent> Extents::of(Value& address) {
  const unsigned space = address.getType()->getPointerAddressSpace();
  if (space != kPrivateSpace && space != kGlobalSpace && space != kConstantSpace && space != kLocalSpace &&
      space != kGenericSpace)
    return {};
  llvm::SmallVector<const Value*, 4> objects;
  llvm::getUnderlyingObjects(&address, objects, nullptr, 0);
  const bool all_private =
      llvm::all_of(objects, [](const Value* object) { return llvm::isa<llvm::AllocaInst>(object); });
  if (all_private) return {};
  std::vector<Extent> found;
  for (const Value* object : objects) {
    // A null pointer points to no memory; what else it may be has to be right.
    if (llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(object) && objects.size() > 1) continue;
    const Extent* extent = extent_of(*const_cast<Value*>(object));
    if (extent == nullptr) return is_buffer_space(space) ? every_buffer() : std::vector<Extent>();
    found.push_back(*extent);
  }
  return found;
}

}  // namespace skmd::codegen
