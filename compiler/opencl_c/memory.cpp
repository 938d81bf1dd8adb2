// SPDX-License-Identifier: Apache-2.0
// Addresses, loads and stores.
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Operator.h>

#include "compiler/ir/lanes.h"
#include "compiler/opencl_c/memory.h"

namespace skmd::compiler::opencl_c {

namespace {

using llvm::APInt;
using llvm::Value;

// What an address is made of: bytes behind `base`.
struct Address {
  const Value* base = nullptr;
  llvm::SmallMapVector<Value*, APInt, 4> scaled{};
  APInt constant{64, 0};
  const llvm::Type* leaf = nullptr;  // what the last step goes over, if that is a number
};

bool is_number(const llvm::Type& type) {
  const llvm::Type& scalar = *type.getScalarType();
  return lanes_of(&type) != 3 && (scalar.isFloatTy() || scalar.isDoubleTy() || scalar.isIntegerTy(8) ||
                                  scalar.isIntegerTy(16) || scalar.isIntegerTy(32) || scalar.isIntegerTy(64));
}

bool add_steps(const Printer& printer, const llvm::GEPOperator& step, Address& address) {
  if (step.getType()->isVectorTy()) return false;
  llvm::SmallMapVector<Value*, APInt, 4> scaled;
  APInt constant(64, 0);
  if (printer.layout.getIndexTypeSizeInBits(step.getType()) != 64 ||
      !step.collectOffset(printer.layout, 64, scaled, constant))
    return false;
  address.constant += constant;
  for (const auto& [index, scale] : scaled) {
    const auto [place, is_new] = address.scaled.insert({index, scale});
    if (!is_new) place->second += scale;
  }
  return true;
}

// Steps that are part of the same expression are taken together.
bool taken_apart(const Printer& printer, const Value& pointer, Address& address) {
  const Value* at = &pointer;
  for (bool first = true;; first = false) {
    const auto* step = llvm::dyn_cast<llvm::GEPOperator>(at);
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(at);
    if (step == nullptr || (!first && instruction != nullptr && !printer.placement.is_inside(*instruction))) break;
    if (!add_steps(printer, *step, address)) return false;
    if (address.leaf == nullptr && is_number(*step->getResultElementType()))
      address.leaf = step->getResultElementType();
    at = step->getPointerOperand();
  }
  address.base = at;
  return true;
}

bool goes_by(const Address& address, std::uint64_t bytes) {
  const APInt unit(64, bytes);
  if (!address.constant.srem(unit).isZero()) return false;
  return llvm::all_of(address.scaled, [&](const auto& term) { return term.second.srem(unit).isZero(); });
}

// Indices count up and down from where the address begins.
std::string index_text(Printer& printer, const Value& index) {
  const Value* narrow = &index;
  const auto* extended = llvm::dyn_cast<llvm::CastInst>(&index);
  if (extended != nullptr && is_signed_extension(*extended) && printer.placement.is_inside(*extended) &&
      !extended->getSrcTy()->isIntegerTy(1))
    narrow = extended->getOperand(0);
  if (narrow->getType()->isIntegerTy(1)) return "(-(long)" + printer.value(*narrow) + ")";
  const std::string text = printer.signed_value(*narrow);
  return narrow->getType()->isIntegerTy(64) ? text : "(long)" + text;
}

std::string offset_text(Printer& printer, const Address& address, std::uint64_t unit) {
  std::string text;
  for (const auto& [index, scale] : address.scaled) {
    const std::int64_t times = scale.getSExtValue() / static_cast<std::int64_t>(unit);
    text += (text.empty() ? "" : " + ") + index_text(printer, *index);
    if (times != 1) text += " * " + (times < 0 ? "(" + std::to_string(times) + ")" : std::to_string(times));
  }
  const std::int64_t fixed = address.constant.getSExtValue() / static_cast<std::int64_t>(unit);
  if (text.empty()) return std::to_string(fixed);
  if (fixed != 0) text += fixed < 0 ? " - " + std::to_string(-fixed) : " + " + std::to_string(fixed);
  return text;
}

std::uint64_t bytes_of_type(const Printer& printer, const llvm::Type& type) {
  return printer.layout.getTypeStoreSize(const_cast<llvm::Type*>(&type)).getFixedValue();
}

// Whether the IR says that the access is one by the type that the text has for it.
bool has_own_type(const llvm::Instruction& access, const llvm::Type& type) {
  const llvm::MDNode* tag = access.getMetadata(llvm::LLVMContext::MD_tbaa);
  const auto* accessed =
      tag == nullptr || tag->getNumOperands() < 3 ? nullptr : llvm::dyn_cast<llvm::MDNode>(tag->getOperand(1));
  const auto* name = accessed == nullptr || accessed->getNumOperands() == 0
                         ? nullptr
                         : llvm::dyn_cast<llvm::MDString>(accessed->getOperand(0));
  if (name == nullptr) return false;
  const char* own = type.isIntegerTy(16)   ? "short"
                    : type.isIntegerTy(32) ? "int"
                    : type.isIntegerTy(64) ? "long"
                    : type.isFloatTy()     ? "float"
                    : type.isDoubleTy()    ? "double"
                                           : "";
  return name->getString() == own;
}

}  // namespace

std::string address_text(Printer& printer, const Value& pointer) {
  const std::string name = printer.type(*pointer.getType());
  Address address;
  if (!taken_apart(printer, pointer, address))
    return printer.refuse("there is no OpenCL C text for the address of a type without a fixed size, or of a vector");
  const std::string base = printer.value(*address.base);
  if (address.scaled.empty() && address.constant.isZero()) return base;
  if (address.leaf == nullptr || bytes_of_type(printer, *address.leaf) == 1 ||
      !goes_by(address, bytes_of_type(printer, *address.leaf)))
    return "(" + base + " + " + parenthesised(offset_text(printer, address, 1)) + ")";
  const std::string element =
      space_name(pointer.getType()->getPointerAddressSpace()) + " " + printer.type(*address.leaf) + "*";
  return "((" + name + ")((" + element + ")" + base + " + " +
         parenthesised(offset_text(printer, address, bytes_of_type(printer, *address.leaf))) + "))";
}

std::string parenthesised(const std::string& text) {
  return text.find_first_of(" -") == std::string::npos ? text : "(" + text + ")";
}

std::string access_text(Printer& printer, const Value& pointer, const Access& access) {
  const std::string space = space_name(pointer.getType()->getPointerAddressSpace());
  const std::string element = printer.types.access_name(*access.type, access.align, access.any);
  if (element.empty() || space.empty()) {
    (void)printer.type(*pointer.getType());
    return printer.refuse("there is no OpenCL C text for an access to memory by " + in_words(*access.type));
  }
  const std::string type = (access.is_volatile ? "volatile " : "") + space + " " + element + "*";
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&pointer);
  const bool steps =
      llvm::isa<llvm::GEPOperator>(pointer) && (instruction == nullptr || printer.placement.is_inside(*instruction));
  Address address;
  const std::uint64_t bytes = access.type->isPointerTy() ? 8 : bytes_of_type(printer, *access.type);
  if (steps && taken_apart(printer, pointer, address) && goes_by(address, bytes))
    return "((" + type + ")" + printer.value(*address.base) + ")[" + bare(offset_text(printer, address, bytes)) + "]";
  return "*(" + type + ")" + printer.value(pointer);
}

std::string load_text(Printer& printer, const llvm::LoadInst& load) {
  if (load.isAtomic()) return printer.refuse(load);
  const llvm::Type& type = *load.getType();
  const Access access{&type, load.getAlign().value(), !has_own_type(load, type),
                      load.isVolatile() || is_kept_by_fence(load)};
  return "(" + access_text(printer, *load.getPointerOperand(), access) + ")";
}

bool is_load_of_half(const llvm::LoadInst& load) {
  return load.getType()->getScalarType()->isHalfTy() && !load.isVolatile() && !load.isAtomic() &&
         lanes_of(load.getType()) != 3 && load.getAlign().value() >= 2;
}

std::string half_load_text(Printer& printer, const llvm::LoadInst& load, const llvm::Type& to) {
  const unsigned lanes = lanes_of(load.getType());
  const std::string space = space_name(load.getPointerAddressSpace());
  const std::string number = lanes == 1 ? "" : std::to_string(lanes);
  (void)printer.type(*load.getPointerOperandType());
  const std::string text =
      "vload_half" + number + "(0, (" + space + " half*)" + printer.value(*load.getPointerOperand()) + ")";
  if (to.getScalarType()->isFloatTy()) return text;
  return lanes == 1 ? "((double)" + text + ")" : "convert_" + printer.type(to) + "(" + text + ")";
}

namespace {

// The elements of a vector in memory, one by one: OpenCL C has a fourth behind three, and no vectors of other sizes.
std::string elements_text(Printer& printer, const llvm::Instruction& access, const llvm::FixedVectorType& type) {
  const llvm::Type& element = *type.getElementType();
  const std::uint64_t bytes = bytes_of_type(printer, element);
  const std::uint64_t align = std::min<std::uint64_t>(llvm::getLoadStoreAlignment(&access).value(), bytes);
  const std::string name = printer.types.access_name(element, align, true);
  if (name.empty() || access.isAtomic()) return printer.refuse(access);
  const Value& pointer = *llvm::getLoadStorePointerOperand(&access);
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&access);
  const bool stays = access.isVolatile() || (load != nullptr && is_kept_by_fence(*load));
  return "((" + std::string(stays ? "volatile " : "") + space_name(pointer.getType()->getPointerAddressSpace()) + " " +
         name + "*)" + printer.value(pointer) + ")";
}

}  // namespace

bool is_in_elements(const llvm::Type& type) {
  return type.isVectorTy() && (lanes_of(&type) == 3 || !has_vector_of(lanes_of(&type)));
}

void print_load_of_elements(Printer& printer, const llvm::LoadInst& load) {
  const auto& type = llvm::cast<llvm::FixedVectorType>(*load.getType());
  const std::string at = elements_text(printer, load, type);
  if (lanes_of(&type) == 3)
    return printer.assign(load, "(" + printer.type(type) + ")(" + at + "[0], " + at + "[1], " + at + "[2])");
  for (unsigned i = 0; i < type.getNumElements(); ++i) {
    const std::string name = result_part(printer, load, i);
    printer.variables += "  " + printer.type(*type.getElementType()) + " " + name + ";\n";
    printer.line(name + " = " + at + "[" + std::to_string(i) + "];");
  }
}

void print_store(Printer& printer, const llvm::StoreInst& store) {
  const llvm::Value &value = *store.getValueOperand(), &pointer = *store.getPointerOperand();
  const llvm::Type& type = *value.getType();
  if (store.isAtomic()) return print_atomic(printer, store);
  if (!is_in_elements(type) && !is_view(value)) {
    const Access access{&type, store.getAlign().value(), !has_own_type(store, type), store.isVolatile()};
    return printer.line(access_text(printer, pointer, access) + " = " + bare(printer.value(value)) + ";");
  }
  const auto& vector = llvm::cast<llvm::FixedVectorType>(type);
  const std::string at = elements_text(printer, store, vector);
  for (unsigned i = 0; i < vector.getNumElements(); ++i)
    printer.line(at + "[" + std::to_string(i) + "] = " + element_text(printer, value, i) + ";");
}

}  // namespace skmd::compiler::opencl_c
