// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/schema.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>

#include "compiler/yield/yield_constants.h"
#include "cpu-driver/yield_facts.h"

namespace skmd::compiler {

namespace {

unsigned words_of_scalar(const llvm::Type& type) {
  const unsigned bits = type.getScalarSizeInBits();
  return bits == 0 || bits > 64 ? 0 : (bits + 31) / 32;
}

// 0: it cannot be kept.
unsigned words_of(const llvm::Instruction& value) {
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&value)) {
    const auto size = variable->getAllocationSize(variable->getModule()->getDataLayout());
    if (!size || size->isScalable() || size->getFixedValue() > tuning::kMaxItemWords * 4ull) return 0;
    return static_cast<unsigned>((size->getFixedValue() + 3) / 4);
  }
  const llvm::Type* type = value.getType();
  if (type->isPointerTy()) return 2;
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    return vector->getElementType()->isPointerTy()
               ? 0
               : words_of_scalar(*vector->getElementType()) * vector->getNumElements();
  return type->isIntegerTy() || type->isFloatingPointTy() ? words_of_scalar(*type) : 0;
}

// The one argument, local or private variable that the pointer is computed from; null: there may be several.
llvm::Value* object_of(llvm::Instruction& pointer) {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(&pointer, objects, nullptr, 0);
  if (objects.size() != 1) return nullptr;
  auto* object = const_cast<llvm::Value*>(objects.front());
  const bool known = llvm::isa<llvm::Argument, llvm::GlobalVariable, llvm::AllocaInst>(object) &&
                     object->getType() == pointer.getType();
  return known ? object : nullptr;
}

}  // namespace

domain::Result<PointSchema> lay_out(llvm::ArrayRef<llvm::Instruction*> values,
                                    llvm::ArrayRef<llvm::AllocaInst*> variables, bool together,
                                    const KernelUniformity& uniformity) {
  PointSchema point;
  (together ? point.group_words : point.item_words) = together ? cpu::kGroupPoints : 1;
  llvm::SmallVector<llvm::Instruction*, 24> all(values);
  all.append(variables.begin(), variables.end());
  for (llvm::Instruction* value : all) {
    Kept kept{value, nullptr, false, 0, words_of(*value)};
    const bool variable = llvm::isa<llvm::AllocaInst>(value);
    if (kept.words == 0) return domain::Error{0, variable ? "state_too_large" : "no_form_here"};
    if (value->getType()->isPointerTy() && !variable && (kept.object = object_of(*value)) == nullptr)
      return domain::Error{0, "no_form_here"};
    kept.once = together && !variable && uniformity.is_uniform(*value);
    unsigned& words = kept.once ? point.group_words : point.item_words;
    kept.word = words;
    words += kept.words;
    if (words > tuning::kMaxItemWords) return domain::Error{0, "state_too_large"};
    point.kept.push_back(kept);
  }
  return point;
}

std::string describe(const Kept& kept) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << (kept.value->hasName() ? kept.value->getName() : "value") << " (";
  if (kept.object != nullptr)
    out << "offset in " << (kept.object->hasName() ? kept.object->getName() : "memory");
  else if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(kept.value))
    variable->getAllocatedType()->print(out);
  else
    kept.value->getType()->print(out);
  out << (kept.once ? ", once)" : ")");
  return text;
}

std::uint64_t schema_number(const llvm::Function& kernel, const std::vector<PointSchema>& points) {
  std::vector<std::uint8_t> bytes;
  const auto add = [&](unsigned value) {
    for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
  };
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) add(instruction.getOpcode());
  for (const PointSchema& point : points) {
    add(point.item_words);
    add(point.group_words);
    for (const Kept& kept : point.kept) {
      add(kept.value->getType()->getTypeID());
      add(kept.word);
      add(kept.words * 2 + (kept.once ? 1 : 0));
    }
  }
  return llvm::xxh3_64bits(bytes);
}

}  // namespace skmd::compiler
