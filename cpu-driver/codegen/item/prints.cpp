// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/item/prints.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <optional>
#include <string>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

using llvm::CallInst;
using llvm::IRBuilder;
using llvm::Value;

// Attributes of a declared function: PrintFormatEntry's text and arguments.
constexpr llvm::StringLiteral kText = "skmd-print-text";
constexpr llvm::StringLiteral kArguments = "skmd-print-arguments";

bool is_print(const CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->getName().starts_with(kPrintPrefix);
}

llvm::StringRef text_of(const llvm::Function& print) { return print.getFnAttribute(kText).getValueAsString(); }

// "" for what printf does not take.
std::string described(llvm::Type* type) {
  unsigned lanes = 1;
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    lanes = vector->getNumElements();
    type = vector->getElementType();
  }
  std::string text;
  if (type->isIntegerTy() && type->getIntegerBitWidth() <= 64)
    text = "i" + std::to_string(type->getIntegerBitWidth());
  else if (type->isHalfTy() || type->isFloatTy() || type->isDoubleTy())
    text = "f" + std::to_string(type->getPrimitiveSizeInBits().getFixedValue());
  else if (type->isPointerTy() && lanes == 1)
    text = "p64";
  if (!text.empty() && lanes != 1) text += "x" + std::to_string(lanes);
  return text;
}

llvm::Function* declare_print(llvm::Module& module, llvm::StringRef text, const std::string& arguments,
                              llvm::ArrayRef<llvm::Type*> types) {
  llvm::LLVMContext& context = module.getContext();
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), types, false);
  for (llvm::Function& function : module)
    if (function.getName().starts_with(kPrintPrefix) && function.getFunctionType() == type &&
        text_of(function) == text && function.getFnAttribute(kArguments).getValueAsString() == arguments)
      return &function;
  auto* made = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, kPrintPrefix + "0", module);
  made->addFnAttr(kText, text);
  made->addFnAttr(kArguments, arguments);
  made->setOnlyAccessesInaccessibleMemory();
  made->setDoesNotThrow();
  made->setWillReturn();
  made->addFnAttr(llvm::Attribute::Cold);
  return made;
}

domain::Status lower(CallInst& call) {
  llvm::StringRef text;
  if (call.arg_empty() || !llvm::getConstantStringInfo(call.getArgOperand(0), text))
    return domain::Error{0, "it calls printf with a format that is no literal"};
  IRBuilder<> ir(&call);
  std::string arguments;
  llvm::SmallVector<Value*, 16> values;
  llvm::SmallVector<llvm::Type*, 16> types;
  for (Value* argument : llvm::drop_begin(call.args())) {
    const std::string one = described(argument->getType());
    if (one.empty()) return domain::Error{0, "it calls printf with an argument of an unknown kind"};
    arguments += (arguments.empty() ? "" : " ") + one;
    if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(argument->getType())) {
      for (unsigned lane = 0; lane < vector->getNumElements(); ++lane)
        values.push_back(ir.CreateExtractElement(argument, lane));
    } else {
      values.push_back(argument);
    }
  }
  for (const Value* value : values) types.push_back(value->getType());
  CallInst* made = ir.CreateCall(declare_print(*call.getModule(), text, arguments, types), values);
  made->setDebugLoc(call.getDebugLoc());
  call.replaceAllUsesWith(made);
  call.eraseFromParent();
  return {};
}

Value* as_number(IRBuilder<>& ir, Value* value) {
  llvm::Type* type = value->getType();
  if (type->isPointerTy()) return ir.CreatePtrToInt(value, ir.getInt64Ty());
  if (type->isFloatingPointTy())
    value = ir.CreateBitCast(value, ir.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits())));
  return ir.CreateZExt(value, ir.getInt64Ty());
}

// What one call does: the record of format `number`.
void define(llvm::Function& print, std::uint64_t number, llvm::GlobalVariable& room) {
  constexpr std::uint64_t kWord = 8;  // bytes of each of a record's numbers (print_format.h)
  llvm::LLVMContext& context = print.getContext();
  print.removeFnAttr(kText);
  print.removeFnAttr(kArguments);
  print.removeFnAttr(llvm::Attribute::Memory);
  print.setLinkage(llvm::GlobalValue::InternalLinkage);
  print.addFnAttr(llvm::Attribute::NoInline);
  IRBuilder<> ir(llvm::BasicBlock::Create(context, "entry", &print));
  auto* type = llvm::FunctionType::get(ir.getPtrTy(), {ir.getInt64Ty()}, false);
  Value* get = ir.CreateLoad(ir.getPtrTy(), &room);
  Value* at = ir.CreateCall(type, get, {ir.getInt64(kWord * (1 + print.arg_size()))});
  auto* write = llvm::BasicBlock::Create(context, "write", &print);
  auto* none = llvm::BasicBlock::Create(context, "none", &print);
  ir.CreateCondBr(ir.CreateIsNull(at), none, write);
  ir.SetInsertPoint(none);
  ir.CreateRet(ir.getInt32(-1));
  ir.SetInsertPoint(write);
  const auto put = [&](Value* value, std::uint64_t word) {
    ir.CreateAlignedStore(value, ir.CreateConstInBoundsGEP1_64(ir.getInt64Ty(), at, word), llvm::Align(kWord));
  };
  put(ir.getInt64(number), 0);
  for (llvm::Argument& argument : print.args()) put(as_number(ir, &argument), 1 + argument.getArgNo());
  ir.CreateRet(ir.getInt32(0));
}

// What the runtime reads: PrintTable and what it points to.
class Table {
 public:
  explicit Table(llvm::Module& module)
      : module_(module),
        pointer_(llvm::PointerType::get(module.getContext(), 0)),
        number_(llvm::Type::getInt64Ty(module.getContext())) {}

  std::uint64_t add_format(llvm::StringRef text, llvm::StringRef arguments) {
    formats_.push_back(llvm::ConstantStruct::getAnon({characters(text), characters(arguments)}));
    return formats_.size() - 1;
  }

  void add_string(llvm::GlobalVariable& variable) {
    const std::uint64_t bytes = module_.getDataLayout().getTypeAllocSize(variable.getValueType());
    strings_.push_back(llvm::ConstantStruct::getAnon(
        {llvm::ConstantExpr::getAddrSpaceCast(&variable, pointer_), llvm::ConstantInt::get(number_, bytes)}));
  }

  void build() {
    llvm::Constant* table =
        llvm::ConstantStruct::getAnon({llvm::ConstantInt::get(number_, formats_.size()), list(formats_),
                                       llvm::ConstantInt::get(number_, strings_.size()), list(strings_)});
    new llvm::GlobalVariable(module_, table->getType(), true, llvm::GlobalValue::ExternalLinkage, table,
                             cpu::kPrintTable);
  }

 private:
  llvm::GlobalVariable* hidden(llvm::Constant* value) {
    return new llvm::GlobalVariable(module_, value->getType(), true, llvm::GlobalValue::PrivateLinkage, value);
  }
  llvm::Constant* characters(llvm::StringRef text) {
    return hidden(llvm::ConstantDataArray::getString(module_.getContext(), text));
  }
  llvm::Constant* list(llvm::ArrayRef<llvm::Constant*> entries) {
    if (entries.empty()) return llvm::ConstantPointerNull::get(pointer_);
    return hidden(llvm::ConstantArray::get(llvm::ArrayType::get(entries.front()->getType(), entries.size()), entries));
  }

  llvm::Module& module_;
  llvm::PointerType* pointer_;
  llvm::Type* number_;
  llvm::SmallVector<llvm::Constant*, 16> formats_, strings_;
};

// Characters that %s may be given: literals and constant variables.
bool is_string(const llvm::GlobalVariable& variable) {
  const auto* type = llvm::dyn_cast<llvm::ArrayType>(variable.getValueType());
  return variable.isConstant() && variable.hasInitializer() && variable.getAddressSpace() == kConstantSpace &&
         type != nullptr && type->getElementType()->isIntegerTy(8) && !variable.use_empty();
}

bool takes_pointers(const llvm::Function& print) {
  return llvm::any_of(print.args(), [](const llvm::Argument& one) { return one.getType()->isPointerTy(); });
}

}  // namespace

domain::Result<bool> lower_prints(llvm::Function& item) {
  llvm::SmallVector<CallInst*, 8> calls;
  for (llvm::Instruction& instruction : llvm::instructions(item))
    if (auto* call = llvm::dyn_cast<CallInst>(&instruction))
      if (call->getCalledFunction() != nullptr && call->getCalledFunction()->getName() == "printf")
        calls.push_back(call);
  for (CallInst* call : calls)
    if (domain::Status status = lower(*call); !status) return status.error();
  return !calls.empty();
}

bool mixes_lines(llvm::Function& region) {
  llvm::SmallVector<const CallInst*, 8> calls;
  bool whole = true;
  for (const llvm::Instruction& instruction : llvm::instructions(region))
    if (const auto* call = llvm::dyn_cast<CallInst>(&instruction); call != nullptr && is_print(*call)) {
      calls.push_back(call);
      whole = whole && text_of(*call->getCalledFunction()).ends_with("\n");
    }
  if (whole) return false;
  for (const CallInst* one : calls)
    for (const CallInst* other : calls)
      if (llvm::isPotentiallyReachable(one->getNextNode(), other)) return true;
  return false;
}

void define_prints(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*, 8> prints;
  for (llvm::Function& function : module)
    if (function.getName().starts_with(kPrintPrefix) && !function.use_empty()) prints.push_back(&function);
  if (prints.empty()) return;
  auto* pointer = llvm::PointerType::get(module.getContext(), 0);
  auto* room = new llvm::GlobalVariable(module, pointer, false, llvm::GlobalValue::ExternalLinkage,
                                        llvm::ConstantPointerNull::get(pointer), cpu::kPrintRoom);
  Table table(module);
  if (llvm::any_of(prints, [](const llvm::Function* print) { return takes_pointers(*print); }))
    for (llvm::GlobalVariable& variable : module.globals())
      if (is_string(variable)) table.add_string(variable);
  for (llvm::Function* print : prints)
    define(*print, table.add_format(text_of(*print), print->getFnAttribute(kArguments).getValueAsString()), *room);
  table.build();
}

}  // namespace skmd::codegen
