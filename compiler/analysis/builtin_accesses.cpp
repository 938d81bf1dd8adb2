// SPDX-License-Identifier: Apache-2.0
// The part of Accesses that knows what each of OpenCL's builtins does through its pointers.
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>

#include "compiler/analysis/accesses.h"
#include "compiler/analysis/expand_builtins.h"
#include "compiler/ir/lanes.h"

namespace skmd::compiler {

using domain::AccessKind;
using domain::AtomicClass;
using domain::kNoNode;
using domain::NodeId;
using domain::Op;

namespace {

constexpr unsigned kRelaxed = 0;      // memory_order_relaxed
constexpr unsigned kDeviceScope = 2;  // memory_scope_device; 3 is all devices, 4 a sub-group

llvm::Value* first_pointer(llvm::CallBase& call) {
  for (llvm::Value* argument : call.args()) {
    if (argument->getType()->isPointerTy()) return argument;
  }
  return nullptr;
}

bool has_buffer_pointer(llvm::CallBase& call) {
  return llvm::any_of(call.args(), [](const llvm::Use& argument) {
    return argument->getType()->isPointerTy() && may_reach_buffer(*argument);
  });
}

// "add" of atomic_add, atom_add, atomic_fetch_add and atomic_fetch_add_explicit.
llvm::StringRef atomic_operation(llvm::StringRef name) {
  if (!name.consume_front("atomic_") && !name.consume_front("atom_")) return {};
  name.consume_back("_explicit");
  name.consume_front("fetch_");
  return name;
}

AtomicClass class_of(llvm::StringRef operation, bool is_unsigned) {
  return llvm::StringSwitch<AtomicClass>(operation)
      .Cases({"add", "sub", "inc", "dec"}, AtomicClass::add)
      .Case("min", is_unsigned ? AtomicClass::min_unsigned : AtomicClass::min_signed)
      .Case("max", is_unsigned ? AtomicClass::max_unsigned : AtomicClass::max_signed)
      .Case("and", AtomicClass::bit_and)
      .Case("or", AtomicClass::bit_or)
      .Case("xor", AtomicClass::bit_xor)
      .Default(AtomicClass::other);
}

bool is_relaxed_or_narrow(const llvm::CallBase& call, const Builtin& builtin) {
  // OpenCL 1.x atomics are relaxed; those of 2.0 without "_explicit" are sequentially consistent over the device.
  const bool modern = builtin.name.starts_with("atomic_") && builtin.parameters.contains("_Atomic");
  const bool flag = builtin.name.starts_with("atomic_flag");
  if (!modern && !flag) return true;
  if (builtin.name == "atomic_init") return true;
  if (!builtin.name.ends_with("_explicit")) return false;
  llvm::SmallVector<const llvm::Value*, 3> settings;
  const bool exchange = builtin.name.starts_with("atomic_compare_exchange");
  // After the operands: one order (two for compare-exchange), then perhaps a scope.
  const bool no_operand = flag || builtin.name.starts_with("atomic_load");
  const unsigned operands = exchange ? 3 : no_operand ? 1 : 2;
  for (unsigned i = operands; i < call.arg_size(); ++i) settings.push_back(call.getArgOperand(i));
  const unsigned orders = exchange ? 2 : 1;
  bool relaxed = settings.size() >= orders;
  for (unsigned i = 0; i < orders && i < settings.size(); ++i) {
    const auto* order = llvm::dyn_cast<llvm::ConstantInt>(settings[i]);
    relaxed &= order != nullptr && order->getZExtValue() == kRelaxed;
  }
  if (relaxed) return true;
  const auto* scope = settings.size() > orders ? llvm::dyn_cast<llvm::ConstantInt>(settings[orders]) : nullptr;
  return scope != nullptr && (scope->getZExtValue() < kDeviceScope || scope->getZExtValue() > kDeviceScope + 1);
}

}  // namespace

void Accesses::call(llvm::CallBase& call) {
  if (auto* plain = llvm::dyn_cast<llvm::CallInst>(&call)) {
    const llvm::Function* callee = call.getCalledFunction();
    if (callee != nullptr && callee->getName().starts_with(kStoreOfThree)) return store_of_three(*plain);
  }
  if (llvm::isa<llvm::IntrinsicInst>(call)) {
    const bool memory = call.mayReadOrWriteMemory() && has_buffer_pointer(call);
    if (memory && !call.onlyAccessesInaccessibleMemory() && !call.isLifetimeStartOrEnd()) opaque_call(call);
    return;
  }
  const Builtin builtin = builtin_of(call);
  if (is_silent(builtin.name) || call.doesNotAccessMemory()) return;
  if (builtin.mangled) {
    if (vector_memory(call, builtin) || result_pointer(call, builtin) || atomic_function(call, builtin) ||
        async_copy(call, builtin) || image_function(call, builtin)) {
      return;
    }
  }
  opaque_call(call);
}

void Accesses::opaque_call(llvm::CallBase& call) {
  fact(domain::kFactDeviceSpecificCode);
  add_everything(*call.getFunction(), traits_);
}

// vloadn(offset, p) reads n elements at p + offset·n; the half and aligned forms likewise.
bool Accesses::vector_memory(llvm::CallBase& call, const Builtin& builtin) {
  llvm::StringRef name = builtin.name;
  const bool stores = name.consume_front("vstore");
  if (!stores && !name.consume_front("vload")) return false;
  const bool aligned = name.consume_front("a");
  const bool half = name.consume_front("_half");
  llvm::Type* type = stores ? call.getArgOperand(0)->getType() : call.getType();
  const unsigned lanes = lanes_of(type);
  const unsigned first = stores ? 1 : 0;
  if (call.arg_size() != first + 2 || !call.getArgOperand(first + 1)->getType()->isPointerTy()) return false;
  Touch touch;
  touch.kind = stores ? AccessKind::write : AccessKind::read;
  touch.pointer = call.getArgOperand(first + 1);
  touch.element = half ? 2 : element_bytes(expressions_.view().layout, type);
  // vloada_half3 and vstorea_half3 step by four, and may touch the fourth.
  const unsigned step = aligned && lanes == 3 ? 4 : lanes;
  touch.width = step * touch.element;
  touch.partial = step != lanes;
  const NodeId index = expressions_.nodes().cast(Op::zext, expressions_.of(call.getArgOperand(first)), 64);
  touch.shift = expressions_.nodes().binary(Op::mul, index, expressions_.nodes().constant(touch.width, 64));
  touch.anywhere = expressions_.nodes().is_unknown(touch.shift);
  touch.influence = influences_.of(call.getArgOperand(first));
  this->touch(call, touch);
  return true;
}

// Functions with a second result through a pointer.
bool Accesses::result_pointer(llvm::CallBase& call, const Builtin& builtin) {
  const bool floating = llvm::StringSwitch<bool>(builtin.name).Cases({"fract", "modf", "sincos"}, true).Default(false);
  const bool integer =
      llvm::StringSwitch<bool>(builtin.name).Cases({"frexp", "remquo", "lgamma_r"}, true).Default(false);
  llvm::Value* pointer = call.arg_empty() ? nullptr : call.getArgOperand(call.arg_size() - 1);
  if ((!floating && !integer) || !pointer->getType()->isPointerTy()) return false;
  const unsigned lanes = lanes_of(call.getType());
  Touch touch;
  touch.kind = AccessKind::write;
  touch.pointer = pointer;
  touch.element = integer ? 4 : element_bytes(expressions_.view().layout, call.getType());
  touch.width = touch.element * (lanes == 3 ? 4 : lanes);
  touch.partial = lanes == 3;
  this->touch(call, touch);
  return true;
}

bool Accesses::atomic_function(llvm::CallBase& call, const Builtin& builtin) {
  const llvm::StringRef operation = atomic_operation(builtin.name);
  llvm::Value* pointer = first_pointer(call);
  if (operation.empty() || pointer == nullptr) return false;
  const bool buffer = may_reach_buffer(*pointer) && llvm::any_of(pointers_.of(pointer), [](const PointerTarget& place) {
                        return place.base != PointerTarget::Base::own;
                      });
  Touch touch;
  touch.kind = AccessKind::atomic;
  touch.pointer = pointer;
  touch.width = std::max(pointee_bytes(builtin.parameters), 4u);  // atomic_flag is an int
  touch.element = touch.width;
  const bool floating =
      llvm::any_of(call.args(), [](const llvm::Use& use) { return use->getType()->isFPOrFPVectorTy(); });
  touch.atomic = floating ? AtomicClass::other : class_of(operation, pointee_is_unsigned(builtin.parameters));
  touch.result_used = !call.use_empty() || operation.contains("cmpxchg") || operation.starts_with("compare_exchange");
  if (buffer && !is_relaxed_or_narrow(call, builtin)) fact(domain::kFactDeviceScopeSync);
  this->touch(call, touch);
  // atomic_compare_exchange also reads and writes what was expected.
  if (operation.starts_with("compare_exchange") && call.arg_size() > 1 &&
      call.getArgOperand(1)->getType()->isPointerTy() && may_reach_buffer(*call.getArgOperand(1))) {
    touch.pointer = call.getArgOperand(1);
    this->touch(call, touch);
  }
  return true;
}

bool Accesses::async_copy(llvm::CallBase& call, const Builtin& builtin) {
  const bool strided = builtin.name == "async_work_group_strided_copy";
  if (!strided && builtin.name != "async_work_group_copy") return false;
  const unsigned bytes = pointee_bytes(builtin.parameters);
  if (bytes == 0 || call.arg_size() < (strided ? 5u : 4u)) return false;
  NodeTable& nodes = expressions_.nodes();
  llvm::Value* destination = call.getArgOperand(0);
  llvm::Value* source = call.getArgOperand(1);
  Touch touch;
  touch.kind = may_reach_buffer(*destination) ? AccessKind::write : AccessKind::read;
  touch.pointer = touch.kind == AccessKind::write ? destination : source;
  touch.width = bytes;
  touch.element = pointee_element_bytes(builtin.parameters);
  touch.partial = bytes == 4 * touch.element && builtin.parameters.contains("Dv3_");
  touch.influence = influences_.of(call.getArgOperand(2));
  const NodeId number = nodes.cast(Op::zext, expressions_.of(call.getArgOperand(2)), 64);
  if (!strided) {
    touch.count = number;
    touch.anywhere = nodes.is_unknown(number);
    if (touch.anywhere) touch.count = kNoNode;
    this->touch(call, touch);
    return true;
  }
  // One element in each round of a loop of its own, which is taken to run once at least.
  touch.influence |= influences_.of(call.getArgOperand(3));
  const NodeId one = nodes.constant(1, 64);
  const unsigned loop = expressions_.add_loop(nodes.binary(Op::sub, nodes.binary(Op::umax, number, one), one));
  touch.extra_loops.push_back(loop);
  const NodeId stride = nodes.cast(Op::zext, expressions_.of(call.getArgOperand(3)), 64);
  const NodeId step = nodes.binary(Op::mul, stride, nodes.constant(bytes, 64));
  touch.shift = nodes.binary(Op::mul, nodes.iteration(loop, 64), step);
  touch.anywhere = nodes.is_unknown(touch.shift) || nodes.is_unknown(number);
  touch.partial = true;
  this->touch(call, touch);
  return true;
}

}  // namespace skmd::compiler
