// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/accesses.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

#include "compiler/analysis/expand_builtins.h"
#include "compiler/ir/address_spaces.h"

namespace skmd::compiler {

using domain::Access;
using domain::AccessKind;
using domain::AtomicClass;
using domain::kNoNode;
using domain::NodeId;
using domain::Op;

namespace {

bool lane_is_undefined(const llvm::Value* vector, unsigned lane) {
  while (const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(vector)) {
    const auto* index = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
    if (index == nullptr) return false;
    if (index->getZExtValue() == lane) return llvm::isa<llvm::UndefValue>(insert->getOperand(1));
    vector = insert->getOperand(0);
  }
  if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(vector)) return shuffle->getMaskValue(lane) < 0;
  const auto* constant = llvm::dyn_cast<llvm::Constant>(vector);
  const llvm::Constant* element = constant == nullptr ? nullptr : constant->getAggregateElement(lane);
  return element != nullptr && llvm::isa<llvm::UndefValue>(element);
}

// A compiler need not store what is undefined.
bool has_undefined_lane(const llvm::Value* value) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (type == nullptr) return llvm::isa<llvm::UndefValue>(value);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    if (lane_is_undefined(value, lane)) return true;
  }
  return false;
}

AtomicClass class_of(llvm::AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case llvm::AtomicRMWInst::Add:
    case llvm::AtomicRMWInst::Sub:
      return AtomicClass::add;
    case llvm::AtomicRMWInst::And:
      return AtomicClass::bit_and;
    case llvm::AtomicRMWInst::Or:
      return AtomicClass::bit_or;
    case llvm::AtomicRMWInst::Xor:
      return AtomicClass::bit_xor;
    case llvm::AtomicRMWInst::Max:
      return AtomicClass::max_signed;
    case llvm::AtomicRMWInst::Min:
      return AtomicClass::min_signed;
    case llvm::AtomicRMWInst::UMax:
      return AtomicClass::max_unsigned;
    case llvm::AtomicRMWInst::UMin:
      return AtomicClass::min_unsigned;
    default:
      return AtomicClass::other;
  }
}

}  // namespace

unsigned Accesses::bytes_of(llvm::Type* type) const {
  return static_cast<unsigned>(expressions_.view().layout.getTypeStoreSize(type).getFixedValue());
}

unsigned Accesses::element_bytes(const llvm::DataLayout& layout, llvm::Type* type) {
  return static_cast<unsigned>(layout.getTypeStoreSize(type->getScalarType()).getFixedValue());
}

void Accesses::add(llvm::Instruction& instruction) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return this->load(*load);
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return this->store(*store);
  if (auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) return read_modify_write(*atomic);
  if (auto* atomic = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) return compare_exchange(*atomic);
  if (auto* intrinsic = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) return memory_intrinsic(*intrinsic);
  if (llvm::isa<llvm::FenceInst>(instruction)) return fact(domain::kFactDeviceScopeSync);
  if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return this->call(*call);
  // va_arg and all other instructions that access memory: nothing is known of them.
  if (instruction.mayReadOrWriteMemory()) {
    fact(domain::kFactDeviceSpecificCode);
    add_everything(expressions_.view().function, traits_);
  }
}

void Accesses::load(llvm::LoadInst& load) {
  if (!may_reach_buffer(*load.getPointerOperand())) return;
  Touch touch;
  touch.pointer = load.getPointerOperand();
  touch.width = bytes_of(load.getType());
  touch.element = element_bytes(expressions_.view().layout, load.getType());
  if (load.isAtomic()) {
    touch.kind = AccessKind::atomic;
    touch.atomic = AtomicClass::other;
    touch.result_used = true;
  }
  const bool buffer = llvm::any_of(pointers_.of(touch.pointer),
                                   [](const PointerTarget& p) { return p.base != PointerTarget::Base::own; });
  if (buffer && load.isVolatile()) fact(domain::kFactSpinning);
  if (buffer && load.isAtomic()) fact(domain::kFactDeviceScopeSync);
  if (buffer && load.getType()->isPtrOrPtrVectorTy()) fact(domain::kFactPointerInMemory);
  this->touch(load, touch);
}

void Accesses::store(llvm::StoreInst& store) {
  if (!may_reach_buffer(*store.getPointerOperand())) return;
  llvm::Value* value = store.getValueOperand();
  Touch touch;
  touch.kind = store.isAtomic() ? AccessKind::atomic : AccessKind::write;
  touch.atomic = store.isAtomic() ? AtomicClass::other : AtomicClass::none;
  touch.pointer = store.getPointerOperand();
  touch.width = bytes_of(value->getType());
  touch.element = element_bytes(expressions_.view().layout, value->getType());
  touch.partial = has_undefined_lane(value);
  const bool buffer = llvm::any_of(pointers_.of(touch.pointer),
                                   [](const PointerTarget& p) { return p.base != PointerTarget::Base::own; });
  if (buffer && store.isVolatile()) fact(domain::kFactSpinning);
  if (buffer && store.isAtomic()) fact(domain::kFactDeviceScopeSync);
  const bool pointer = value->getType()->isPtrOrPtrVectorTy() || (influences_.of(value) & kFromPointer) != 0;
  if (buffer && pointer) fact(domain::kFactPointerInMemory);
  this->touch(store, touch);
}

// Surely 12 bytes of a float3, perhaps 16.
void Accesses::store_of_three(llvm::CallInst& call) {
  Touch touch;
  touch.kind = AccessKind::write;
  touch.pointer = call.getArgOperand(1);
  touch.width = bytes_of(call.getArgOperand(0)->getType());
  touch.element = element_bytes(expressions_.view().layout, call.getArgOperand(0)->getType());
  touch.partial = true;
  this->touch(call, touch);
}

void Accesses::read_modify_write(llvm::AtomicRMWInst& atomic) {
  Touch touch;
  touch.kind = AccessKind::atomic;
  touch.pointer = atomic.getPointerOperand();
  touch.width = touch.element = bytes_of(atomic.getType());
  touch.atomic = class_of(atomic.getOperation());
  touch.result_used = !atomic.use_empty();
  const bool relaxed = atomic.getOrdering() == llvm::AtomicOrdering::Monotonic;
  if (!relaxed && may_reach_buffer(*touch.pointer)) fact(domain::kFactDeviceScopeSync);
  this->touch(atomic, touch);
}

void Accesses::compare_exchange(llvm::AtomicCmpXchgInst& atomic) {
  Touch touch;
  touch.kind = AccessKind::atomic;
  touch.pointer = atomic.getPointerOperand();
  touch.width = touch.element = bytes_of(atomic.getNewValOperand()->getType());
  touch.atomic = AtomicClass::other;
  touch.result_used = true;
  const bool relaxed = atomic.getSuccessOrdering() == llvm::AtomicOrdering::Monotonic;
  if (!relaxed && may_reach_buffer(*touch.pointer)) fact(domain::kFactDeviceScopeSync);
  this->touch(atomic, touch);
}

void Accesses::memory_intrinsic(llvm::MemIntrinsic& intrinsic) {
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(intrinsic.getLength());
  Touch touch;
  if (length != nullptr && length->getZExtValue() == 0) return;
  if (length != nullptr && length->getZExtValue() <= UINT32_MAX) {
    touch.width = static_cast<unsigned>(length->getZExtValue());
  } else {
    touch.count = expressions_.nodes().cast(Op::zext, expressions_.of(intrinsic.getLength()), 64);
  }
  // Which fields a struct has is not known here: its alignment is that of one of them. Padding need not be written.
  const auto unit = [&](llvm::MaybeAlign align) {
    const auto bytes = static_cast<unsigned>(align.valueOrOne().value());
    return touch.width % bytes == 0 ? std::min(bytes, 8u) : 1u;
  };
  Touch write = touch;
  write.kind = AccessKind::write;
  write.pointer = intrinsic.getRawDest();
  write.element = unit(intrinsic.getDestAlign());
  write.partial = true;
  if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&intrinsic)) {
    touch.pointer = transfer->getRawSource();
    touch.element = unit(transfer->getSourceAlign());
    this->touch(intrinsic, touch);
  }
  this->touch(intrinsic, write);
  if (intrinsic.isVolatile()) fact(domain::kFactSpinning);
}

const Circumstances& Accesses::circumstances(llvm::BasicBlock* block) {
  const auto found = circumstances_.find(block);
  if (found != circumstances_.end()) return found->second;
  return circumstances_[block] = circumstances_of(block, control_, expressions_);
}

void Accesses::append(Access access) {
  if (!llvm::is_contained(traits_.accesses, access)) traits_.accesses.push_back(std::move(access));
}

void Accesses::note_influence(const llvm::Instruction& at, const Touch& touch) {
  const unsigned place = influences_.of(touch.pointer) | touch.influence;
  const bool writes = touch.kind != AccessKind::read;
  // A write that goes on from place to place until floating point ends it must end alike where another kernel counted.
  const unsigned floats = writes ? kFromFloat | kCountsByFloat : kFromFloat;
  if ((place & floats) != 0) fact(domain::kFactFloatDecidesAddress);
  const unsigned all = writes ? place | influences_.on(at.getParent()) : place;
  if ((all & kFromMemory) != 0) fact(domain::kFactMemoryDecidesAddress);
}

void Accesses::touch(llvm::Instruction& at, const Touch& touch) {
  if (!may_reach_buffer(*touch.pointer)) return;
  const PointerTargets places = pointers_.of(touch.pointer);
  const bool buffer =
      llvm::any_of(places, [](const PointerTarget& place) { return place.base != PointerTarget::Base::own; });
  if (!buffer) return;
  note_influence(at, touch);
  if (touch.kind == AccessKind::atomic) fact(domain::kFactGlobalAtomics);
  if (touch.kind == AccessKind::atomic && touch.result_used) fact(domain::kFactAtomicResultUsed);
  const Circumstances& around = circumstances(at.getParent());
  for (const PointerTarget& place : places) {
    if (place.base == PointerTarget::Base::own) continue;
    if (place.base == PointerTarget::Base::program) fact(domain::kFactMutableProgramScope);
    if (place.base == PointerTarget::Base::unknown) touch_unknown(at, touch);
    if (place.base != PointerTarget::Base::argument) continue;
    Access access;
    access.kind = touch.kind;
    access.argument = place.argument;
    access.offset = touch.anywhere ? kNoNode : place.offset;
    if (access.offset != kNoNode && touch.shift != kNoNode) {
      access.offset = expressions_.nodes().binary(Op::add, access.offset, touch.shift);
    }
    if (access.offset != kNoNode && expressions_.nodes().is_unknown(access.offset)) access.offset = kNoNode;
    access.width = touch.width;
    access.count = touch.count;
    access.element = touch.element;
    access.guards = around.guards;
    access.loops = around.loops;
    access.loops.insert(access.loops.end(), touch.extra_loops.begin(), touch.extra_loops.end());
    const bool surely = access.offset != kNoNode && expressions_.nodes().determined(access.offset);
    access.guards_complete = around.complete && places.size() == 1 && !touch.partial && surely;
    access.atomic = touch.atomic;
    access.atomic_result_used = touch.result_used;
    append(std::move(access));
  }
}

// A pointer out of nowhere is taken for one into any of the kernel's own buffers: others cannot be reached portably.
void Accesses::touch_unknown(llvm::Instruction& at, const Touch& touch) {
  fact(domain::kFactPointerInMemory);
  for (const llvm::Argument& argument : at.getFunction()->args()) {
    if (!argument.getType()->isPointerTy()) continue;
    const unsigned space = argument.getType()->getPointerAddressSpace();
    if (space != kGlobalSpace && (space != kConstantSpace || touch.kind != AccessKind::read)) continue;
    Access access;
    access.kind = touch.kind;
    access.argument = argument.getArgNo();
    access.width = touch.width;
    access.count = touch.count;
    access.element = touch.element;
    access.atomic = touch.atomic;
    access.atomic_result_used = touch.result_used;
    append(std::move(access));
  }
}

void Accesses::add_everything(const llvm::Function& kernel, domain::KernelTraits& traits) {
  for (const llvm::Argument& argument : kernel.args()) {
    const llvm::Type* type = argument.getType();
    const bool image = type->isTargetExtTy() && type->getTargetExtName() == "spirv.Image";
    const unsigned space = type->isPointerTy() ? type->getPointerAddressSpace() : kPrivateSpace;
    if (!image && space != kGlobalSpace && space != kConstantSpace) continue;
    Access access;
    access.argument = argument.getArgNo();
    if (!llvm::is_contained(traits.accesses, access)) traits.accesses.push_back(access);
    if (space == kConstantSpace) continue;
    access.kind = AccessKind::write;
    if (!llvm::is_contained(traits.accesses, access)) traits.accesses.push_back(access);
  }
}

}  // namespace skmd::compiler
