// SPDX-License-Identifier: Apache-2.0
// A prepared masked function with its analyses, for tests of the parts of which vectors are made.
#pragma once

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueSymbolTable.h>
#include <llvm/Support/SourceMgr.h>

#include <memory>
#include <string>

#include "cpu-driver/codegen/vector/markers.h"
#include "cpu-driver/codegen/vector/private_layout.h"
#include "cpu-driver/codegen/vector/shapes.h"

namespace skmd::codegen::test {

/// Parameters: `%in` in global, `%counters` in local memory, `%id` of the lane, `%live`.
class MaskedFunction {
 public:
  static constexpr unsigned kLanes = 4;

  /// `body`: the function's blocks, as text of LLVM IR.
  explicit MaskedFunction(const std::string& body) : module_(parse(body)), function_(*module_->getFunction("f")) {}

  [[nodiscard]] llvm::Function& function() { return function_; }
  [[nodiscard]] const Shapes& shapes() const { return shapes_; }
  [[nodiscard]] const PrivateLayout& layout() const { return layout_; }
  [[nodiscard]] const llvm::DominatorTree& dominators() const { return dominators_; }

  /// A parameter, or an instruction that has a name.
  llvm::Value& operator[](const std::string& name) {
    llvm::Value* found = function_.getValueSymbolTable()->lookup(name);
    EXPECT_NE(found, nullptr) << name;
    return *found;
  }
  llvm::Instruction& instruction(const std::string& name) { return llvm::cast<llvm::Instruction>((*this)[name]); }
  Access load(const std::string& name) { return *access(instruction(name)); }
  /// Of the stores in the order of the text.
  Access store(unsigned number) {
    for (llvm::BasicBlock& block : function_)
      for (llvm::Instruction& each : block)
        if (const std::optional<Access> found = access(each); found && found->stored != nullptr && number-- == 0)
          return *found;
    ADD_FAILURE() << "there are not as many stores";
    return {};
  }

 private:
  std::unique_ptr<llvm::Module> parse(const std::string& body) {
    const std::string text =
        "declare i1 @skmd.any(i1)\n"
        "declare i32 @skmd.load.i32(ptr addrspace(1), i1)\n"
        "declare i8 @skmd.load.i8(ptr addrspace(3), i1)\n"
        "declare void @skmd.store.i8(i8, ptr addrspace(3), i1)\n"
        "define void @f(ptr addrspace(1) %in, ptr addrspace(3) %counters, i64 \"skmd-lane\" %id, i1 \"skmd-live\" "
        "%live) \"skmd-masked\" {\n" +
        body + "}\n";
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context_);
    EXPECT_NE(module, nullptr) << problem.getMessage().str() << "\n" << problem.getLineContents().str();
    return module;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  llvm::Function& function_;
  PrivateLayout layout_ = *PrivateLayout::of(function_);
  Shapes shapes_{function_, layout_, kLanes, /*trust_flags=*/true};
  llvm::DominatorTree dominators_{function_};
};

}  // namespace skmd::codegen::test
