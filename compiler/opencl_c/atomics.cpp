// SPDX-License-Identifier: Apache-2.0
// LLVM's atomic instructions by the atomic functions of OpenCL 1, which order nothing: fences stand beside them.
#include "compiler/ir/address_spaces.h"
#include "compiler/opencl_c/memory.h"
#include "compiler/opencl_c/printer.h"

namespace skmd::compiler::opencl_c {

namespace {

using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;

constexpr char kFence[] = "mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);";

void fence_before(Printer& printer, AtomicOrdering ordering) {
  if (llvm::isReleaseOrStronger(ordering)) printer.line(kFence);
}

void fence_behind(Printer& printer, AtomicOrdering ordering) {
  if (llvm::isAcquireOrStronger(ordering)) printer.line(kFence);
}

struct Operation {
  const char* name = nullptr;
  bool is_signed = false;
};

Operation operation_of(AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case AtomicRMWInst::Xchg:
      return {"xchg", false};
    case AtomicRMWInst::Add:
      return {"add", false};
    case AtomicRMWInst::Sub:
      return {"sub", false};
    case AtomicRMWInst::And:
      return {"and", false};
    case AtomicRMWInst::Or:
      return {"or", false};
    case AtomicRMWInst::Xor:
      return {"xor", false};
    case AtomicRMWInst::Max:
      return {"max", true};
    case AtomicRMWInst::Min:
      return {"min", true};
    case AtomicRMWInst::UMax:
      return {"max", false};
    case AtomicRMWInst::UMin:
      return {"min", false};
    default:
      return {};
  }
}

// "atomic_" or, for 64 bits, "atom_"; "" for what has neither.
std::string prefix(Printer& printer, const llvm::Type& type, unsigned space, bool extended) {
  if (space != kGlobalSpace && space != kLocalSpace) return {};
  if (type.isIntegerTy(32) || type.isFloatTy()) return "atomic_";
  if (!type.isIntegerTy(64)) return {};
  printer.types.use(extended ? "cl_khr_int64_extended_atomics" : "cl_khr_int64_base_atomics");
  return "atom_";
}

std::string place(Printer& printer, const llvm::Value& pointer, const std::string& type) {
  return "(volatile " + space_name(pointer.getType()->getPointerAddressSpace()) + " " + type + "*)" +
         printer.value(pointer);
}

void print_exchange(Printer& printer, const AtomicRMWInst& exchange) {
  const llvm::Value &pointer = *exchange.getPointerOperand(), &value = *exchange.getValOperand();
  const llvm::Type& type = *value.getType();
  const Operation operation = operation_of(exchange.getOperation());
  const bool plain = exchange.getOperation() == AtomicRMWInst::Xchg || exchange.getOperation() == AtomicRMWInst::Add ||
                     exchange.getOperation() == AtomicRMWInst::Sub;
  const std::string begin = prefix(printer, type, exchange.getPointerAddressSpace(), !plain);
  if (operation.name == nullptr || begin.empty()) return (void)printer.refuse(exchange);
  if (type.isFloatTy() && exchange.getOperation() != AtomicRMWInst::Xchg) return (void)printer.refuse(exchange);
  const std::string name = operation.is_signed ? printer.types.signed_name(type) : printer.type(type);
  const std::string text = begin + operation.name + "(" + place(printer, pointer, name) + ", " +
                           (operation.is_signed ? printer.signed_value(value) : printer.value(value)) + ")";
  fence_before(printer, exchange.getOrdering());
  printer.assign(exchange, operation.is_signed ? printer.from_signed(text, type) : text);
  fence_behind(printer, exchange.getOrdering());
}

void print_compare_exchange(Printer& printer, const llvm::AtomicCmpXchgInst& exchange) {
  const llvm::Type& type = *exchange.getCompareOperand()->getType();
  const std::string begin = prefix(printer, type, exchange.getPointerAddressSpace(), false);
  if (begin.empty() || !type.isIntegerTy()) return (void)printer.refuse(exchange);
  const std::string old = result_part(printer, exchange, 0), same = result_part(printer, exchange, 1);
  printer.variables += "  " + printer.type(type) + " " + old + ";\n  bool " + same + ";\n";
  const std::string expected = printer.value(*exchange.getCompareOperand());
  fence_before(printer, exchange.getSuccessOrdering());
  printer.line(old + " = " + begin + "cmpxchg(" + place(printer, *exchange.getPointerOperand(), printer.type(type)) +
               ", " + expected + ", " + printer.value(*exchange.getNewValOperand()) + ");");
  printer.line(same + " = " + old + " == " + expected + ";");
  fence_behind(printer, exchange.getSuccessOrdering());
}

// Of 32 bits, whose volatile accesses no device divides.
void print_access(Printer& printer, const llvm::Instruction& access, AtomicOrdering ordering) {
  const llvm::Type& type = *llvm::getLoadStoreType(&access);
  const std::uint64_t align = llvm::getLoadStoreAlignment(&access).value();
  if (!(type.isIntegerTy(32) || type.isFloatTy()) || align < 4) return (void)printer.refuse(access);
  const std::string text = access_text(printer, *llvm::getLoadStorePointerOperand(&access), {&type, align, true, true});
  fence_before(printer, ordering);
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&access))
    printer.line(text + " = " + printer.value(*store->getValueOperand()) + ";");
  else
    printer.assign(access, "(" + text + ")");
  fence_behind(printer, ordering);
}

void print_fence(Printer& printer, const llvm::FenceInst& fence) {
  if (fence.getSyncScopeID() != llvm::SyncScope::SingleThread) return printer.line(kFence);
  // It is for the load behind it, which is a volatile one.
  const auto* load = llvm::dyn_cast_or_null<llvm::LoadInst>(fence.getNextNode());
  if (load == nullptr) (void)printer.refuse(fence);
}

}  // namespace

void print_atomic(Printer& printer, const llvm::Instruction& instruction) {
  if (const auto* exchange = llvm::dyn_cast<AtomicRMWInst>(&instruction)) return print_exchange(printer, *exchange);
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return print_compare_exchange(printer, *exchange);
  if (const auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) return print_fence(printer, *fence);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return print_access(printer, *load, load->getOrdering());
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return print_access(printer, *store, store->getOrdering());
  (void)printer.refuse(instruction);
}

}  // namespace skmd::compiler::opencl_c
