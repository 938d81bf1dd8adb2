// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/kernel_facts.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>

#include "cpu-driver/span_code.h"
#include "cpu-driver/yield_facts.h"

namespace skmd::codegen {

namespace {

llvm::Constant* number(llvm::Type* type, std::uint64_t value) { return llvm::ConstantInt::get(type, value); }

llvm::GlobalVariable* add_constant(llvm::Module& module, llvm::Constant* value, const std::string& name) {
  return new llvm::GlobalVariable(module, value->getType(), true, llvm::GlobalValue::ExternalLinkage, value, name);
}

}  // namespace

void add_facts(const KernelWork& work, llvm::Module& module, const CodeFacts& code) {
  llvm::Type* i64 = llvm::Type::getInt64Ty(module.getContext());
  llvm::Type* i32 = llvm::Type::getInt32Ty(module.getContext());
  // Laid out as cpu::KernelFacts.
  llvm::Constant* facts = llvm::ConstantStruct::getAnon(
      {number(i64, work.local_bytes), number(i64, 0), number(i64, code.item_bytes), number(i64, work.private_bytes),
       number(i32, code.padding), number(i32, work.prints ? 1 : 0), number(i32, code.lane_groups), number(i32, 0)});
  add_constant(module, facts, cpu::facts_symbol(work.note.name))->setAlignment(llvm::Align(8));
}

void add_yields(const KernelWork& work, llvm::Module& module) {
  llvm::Type* i64 = llvm::Type::getInt64Ty(module.getContext());
  llvm::Type* i32 = llvm::Type::getInt32Ty(module.getContext());
  // Laid out as cpu::YieldFacts.
  llvm::Constant* facts = llvm::ConstantStruct::getAnon(
      {number(i64, work.yields.schema), number(i32, work.yields.group_words), number(i32, work.yields.item_words),
       number(i32, work.yields.together ? 1 : 0), number(i32, work.yields.points.size())});
  add_constant(module, facts, cpu::yields_symbol(work.note.name))->setAlignment(llvm::Align(8));
}

void add_sites(const KernelWork& work, llvm::Module& module) {
  llvm::Constant* text = llvm::ConstantDataArray::getString(module.getContext(), work.sites);
  add_constant(module, text, cpu::sites_symbol(work.note.name));
}

}  // namespace skmd::codegen
