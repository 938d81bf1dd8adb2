// SPDX-License-Identifier: Apache-2.0
// Elements of vectors.
#include <llvm/Analysis/VectorUtils.h>

#include "compiler/ir/lanes.h"
#include "compiler/opencl_c/constants.h"
#include "compiler/opencl_c/printer.h"

namespace skmd::compiler::opencl_c {

namespace {

using llvm::FixedVectorType;
using llvm::Value;

std::string element_name(unsigned index) { return std::string(1, "0123456789abcdef"[index % 16]); }

std::string element(const std::string& vector, unsigned index) { return vector + ".s" + element_name(index); }

bool holds_truth(const Value& vector) { return vector.getType()->isIntOrIntVectorTy(1); }

// An element of a vector with that element type, for a list of elements.
std::string as_element(Printer& printer, const Value& scalar) {
  if (scalar.getType()->isIntegerTy(1)) return "(" + printer.value(scalar) + " ? (char)-1 : (char)0)";
  return printer.value(scalar);
}

unsigned index_of(const llvm::InsertElementInst& insertion) {
  return static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(insertion.getOperand(2))->getZExtValue());
}

// An element of a vector that is another one's bits.
std::string part_of_element(Printer& printer, const llvm::BitCastInst& cast, unsigned index) {
  const llvm::Type &from = *cast.getSrcTy()->getScalarType(), &to = *cast.getDestTy()->getScalarType();
  const unsigned wide = from.getScalarSizeInBits(), narrow = to.getScalarSizeInBits(), parts = wide / narrow;
  std::string text = element_text(printer, *cast.getOperand(0), index / parts);
  const std::string bits = integer_name(wide, false);
  if (bits.empty() || integer_name(narrow, false).empty()) return printer.refuse(cast);
  if (!from.isIntegerTy()) text = "as_" + bits + "(" + text + ")";
  if (parts > 1)
    text = "((" + integer_name(narrow, false) + ")(" + text + " >> " + std::to_string(index % parts * narrow) + "))";
  return to.isIntegerTy() ? text : "as_" + printer.type(to) + "(" + text + ")";
}

// The place of a variable index in a vector in memory; other indices give poison.
std::string place(Printer& printer, const std::string& variable, const FixedVectorType& type, const Value& index) {
  const llvm::Type& element_type = *type.getElementType();
  const std::string name = element_type.isIntegerTy(1) ? "char" : printer.type(element_type);
  const unsigned lanes = type.getNumElements() == 3 ? 4 : type.getNumElements();
  return "((private " + name + "*)&" + variable + ")[" + printer.value(index) + " & " + std::to_string(lanes - 1) + "]";
}

}  // namespace

std::string element_text(Printer& printer, const Value& vector, unsigned index) {
  const auto& type = llvm::cast<FixedVectorType>(*vector.getType());
  if (llvm::isa<llvm::UndefValue>(vector))
    return holds_truth(vector) ? "((char)0)" : printer.value(*llvm::Constant::getNullValue(type.getElementType()));
  if (!is_view(vector)) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(&vector);
    llvm::Constant* part = constant == nullptr ? nullptr : constant->getAggregateElement(index);
    if (part != nullptr) return as_element(printer, *part);
    return element(printer.value(vector), index);
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&vector)) return result_part(printer, *load, index);
  if (const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&vector)) return part_of_element(printer, *cast, index);
  if (const auto* insertion = llvm::dyn_cast<llvm::InsertElementInst>(&vector))
    return index == index_of(*insertion) ? as_element(printer, *insertion->getOperand(1))
                                         : element_text(printer, *insertion->getOperand(0), index);
  const auto& shuffle = llvm::cast<llvm::ShuffleVectorInst>(vector);
  const unsigned width = lanes_of(shuffle.getOperand(0)->getType());
  const auto lane = static_cast<unsigned>(std::max(shuffle.getMaskValue(index), 0));
  return element_text(printer, *shuffle.getOperand(lane < width ? 0 : 1), lane < width ? lane : lane - width);
}

std::string mask_text(Printer& printer, const Value& mask, unsigned bits) {
  const std::string name = integer_name(bits, true) + std::to_string(lanes_of(mask.getType()));
  const auto* comparison = llvm::dyn_cast<llvm::CmpInst>(&mask);
  if (comparison != nullptr && printer.placement.is_inside(*comparison)) {
    const llvm::Type& compared = *comparison->getOperand(0)->getType();
    const std::string text = comparison_text(printer, *comparison);
    const bool same = compared.getScalarSizeInBits() == bits && !compared.isPtrOrPtrVectorTy();
    return same ? text : "convert_" + name + "(" + text + ")";
  }
  return "convert_" + name + "(" + printer.value(mask) + ")";
}

std::string extraction_text(Printer& printer, const llvm::ExtractElementInst& extraction) {
  const Value& vector = *extraction.getVectorOperand();
  const auto* index = llvm::dyn_cast<llvm::ConstantInt>(extraction.getIndexOperand());
  if (index == nullptr) return printer.refuse(extraction);  // a statement, see print_vector_statement()
  if (index->getValue().uge(lanes_of(vector.getType())))
    return printer.value(*llvm::Constant::getNullValue(extraction.getType()));
  const std::string text = element_text(printer, vector, static_cast<unsigned>(index->getZExtValue()));
  return holds_truth(vector) ? "(" + text + " != 0)" : text;
}

std::string insertion_text(Printer& printer, const llvm::InsertElementInst& insertion) {
  const auto& type = llvm::cast<FixedVectorType>(*insertion.getType());
  const std::string name = printer.type(type);
  std::vector<std::string> elements(type.getNumElements());
  const Value* base = &insertion;
  for (;;) {
    const auto* step = llvm::dyn_cast<llvm::InsertElementInst>(base);
    if (step == nullptr || !is_plain_insertion(*step)) break;
    if (step != &insertion && !printer.placement.is_inside(*step)) break;
    std::string& place = elements[index_of(*step)];
    if (place.empty()) place = as_element(printer, *step->getOperand(1));
    base = step->getOperand(0);
  }
  std::string list;
  for (unsigned i = 0; i < elements.size(); ++i) {
    if (elements[i].empty()) elements[i] = element_text(printer, *base, i);
    list += (i == 0 ? "" : ", ") + elements[i];
  }
  return "((" + name + ")(" + list + "))";
}

std::string shuffle_text(Printer& printer, const llvm::ShuffleVectorInst& shuffle) {
  const auto& type = llvm::cast<FixedVectorType>(*shuffle.getType());
  const std::string name = printer.type(type);
  // A vector that is a statement of its own has its scalar from there: memory may have changed since.
  const auto* inserted = llvm::dyn_cast<llvm::Instruction>(shuffle.getOperand(0));
  const bool here = inserted == nullptr || printer.placement.is_inside(*inserted);
  if (const Value* scalar = here ? llvm::getSplatValue(&shuffle) : nullptr)
    return "((" + name + ")(" + as_element(printer, *scalar) + "))";
  const unsigned width = lanes_of(shuffle.getOperand(0)->getType());
  const Value &left = *shuffle.getOperand(0), &right = *shuffle.getOperand(1);
  std::string swizzle, list;
  bool only_left = !is_view(left) && !llvm::isa<llvm::Constant>(left);
  for (const int index : shuffle.getShuffleMask()) {
    const auto lane = static_cast<unsigned>(std::max(index, 0));
    only_left = only_left && lane < width;
    swizzle += element_name(lane);
    list += (list.empty() ? "" : ", ") +
            (lane < width ? element_text(printer, left, lane) : element_text(printer, right, lane - width));
  }
  return only_left ? printer.value(left) + ".s" + swizzle : "((" + name + ")(" + list + "))";
}

void print_vector_statement(Printer& printer, const llvm::Instruction& instruction) {
  const Value& vector = *instruction.getOperand(0);
  const auto& type = llvm::cast<FixedVectorType>(*vector.getType());
  const std::string whole = printer.variable(type);
  printer.line(whole + " = " + printer.value(vector) + ";");
  if (llvm::isa<llvm::ExtractElementInst>(instruction)) {
    const std::string text = place(printer, whole, type, *instruction.getOperand(1));
    return printer.assign(instruction, holds_truth(vector) ? "(" + text + " != 0)" : text);
  }
  printer.line(place(printer, whole, type, *instruction.getOperand(2)) + " = " +
               as_element(printer, *instruction.getOperand(1)) + ";");
  printer.assign(instruction, whole);
}

}  // namespace skmd::compiler::opencl_c
