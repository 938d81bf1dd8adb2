// SPDX-License-Identifier: Apache-2.0
#include <llvm/ADT/STLExtras.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Linker/IRMover.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>

#include <vector>

#include "cpu-driver/codegen/library/bitcode.h"
#include "cpu-driver/codegen/library/expand.h"
#include "cpu-driver/codegen/library/harden.h"
#include "cpu-driver/codegen/library/images.h"
#include "cpu-driver/codegen/library/library.h"
#include "cpu-driver/codegen/library/library_constants.h"
#include "cpu-driver/codegen/library/math_names.h"
#include "cpu-driver/codegen/library/scale.h"
#include "cpu-driver/codegen/library/soft.h"

namespace skmd::codegen {

namespace {

domain::Error failure(llvm::Error error) { return domain::Error{0, llvm::toString(std::move(error))}; }

domain::Result<std::unique_ptr<llvm::Module>> open_library(llvm::Module& module) {
  auto buffer = llvm::MemoryBuffer::getMemBuffer(builtins_bitcode(), "builtins");
  auto opened = llvm::getOwningLazyBitcodeModule(std::move(buffer), module.getContext(), true);
  if (!opened) return failure(opened.takeError());
  (*opened)->setTargetTriple(module.getTargetTriple());
  (*opened)->setDataLayout(module.getDataLayout());
  return std::move(*opened);
}

bool is_wanted(const llvm::Function& function, Link which) {
  if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty()) return false;
  if (is_image_function(function.getName())) return which == Link::all;
  if (is_quick_image_function(function.getName())) return true;
  if (!function.getName().starts_with("_Z")) return false;
  return which == Link::all || !has_vector_form(function.getName());
}

/// Clang's calls follow SPIR's convention, the library's its own; only agreement is defined behaviour.
void agree_on_convention(llvm::Function& function) {
  for (llvm::User* user : function.users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user); call != nullptr && call->getCalledOperand() == &function)
      call->setCallingConv(function.getCallingConv());
}

bool fuses(llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    return callee != nullptr &&
           (callee->getIntrinsicID() == llvm::Intrinsic::fma || callee->getName().starts_with("_Z3fma"));
  });
}

// Calls of a short function cost more than it does; but code of a program that has very many is to stay small. What
// fuses is not short where that takes many instructions.
bool is_inlined_math(llvm::Function& function, Isa isa) {
  return is_short(function.getName()) && !function.hasNUsesOrMore(tuning::kMaxInlinedCalls + 1) &&
         !(isa == Isa::sse && fuses(function));
}

// Soft functions are long, as is what only numbers far from 0 need, and there may be many calls.
bool is_kept(llvm::Function& function, Isa isa) {
  const llvm::StringRef name = function.getName();
  if (name.starts_with("_Z8skmd_fma") || name.starts_with("_Z12skmd_far_") || is_image_function(name)) return true;
  return math_name(name) && !is_inlined_math(function, isa);
}

void finish(llvm::Function& function, Isa isa) {
  if (isa >= Isa::avx512) use_scale_instruction(function);
  const bool math = math_name(function.getName()).has_value();
  const bool kept = is_kept(function, isa);
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  function.setComdat(nullptr);
  if (!kept) function.addFnAttr(llvm::Attribute::AlwaysInline);
  if (kept || math) freeze_arguments(function);
  freeze_conversions(function);
  stay_inside_tables(function);
  agree_on_convention(function);
}

domain::Result<std::vector<llvm::GlobalValue*>> find_all(const std::vector<llvm::Function*>& wanted,
                                                         const llvm::Module& library) {
  std::vector<llvm::GlobalValue*> found;
  for (const llvm::Function* function : wanted) {
    llvm::Function* definition = library.getFunction(function->getName());
    if (definition == nullptr || definition->getFunctionType() != function->getFunctionType())
      return domain::Error{0, "no builtin " + function->getName().str()};
    found.push_back(definition);
  }
  return found;
}

domain::Status move_in(llvm::Module& module, Isa isa, Link which) {
  std::vector<llvm::Function*> wanted;
  for (llvm::Function& function : module)
    if (is_wanted(function, which)) wanted.push_back(&function);
  if (wanted.empty()) return {};
  auto library = open_library(module);
  if (!library) return library.error();
  const auto found = find_all(wanted, **library);
  if (!found) return found.error();
  std::vector<const llvm::GlobalValue*> before;
  for (const llvm::Function& function : module)
    if (!function.isDeclaration()) before.push_back(&function);
  llvm::sort(before);

  llvm::IRMover mover(module);
  llvm::Error error = mover.move(
      std::move(*library), *found, [](llvm::GlobalValue& value, const llvm::IRMover::ValueAdder& add) { add(value); },
      false);
  if (error) return failure(std::move(error));
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && !std::binary_search(before.begin(), before.end(), &function))
      finish(function, isa);
  return {};
}

}  // namespace

bool has_vector_form(llvm::StringRef name) {
  const std::string plain = plain_name(name);
  const auto math = math_name(plain.empty() ? name : llvm::StringRef(plain));
  return math && math->lanes == 1;
}

llvm::Function* vector_form(llvm::Module& module, llvm::StringRef name, unsigned width, Isa isa) {
  const std::string plain = plain_name(name);
  auto math = math_name(plain.empty() ? name : llvm::StringRef(plain));
  if (!math || math->lanes != 1 || math->scalar_only || width < 2) return nullptr;
  // Wider than a register, the compiler would spill what halves keep in registers.
  if (width > (math->type == 'd' ? lanes(isa) / 2 : lanes(isa)) || !llvm::isPowerOf2_32(width)) return nullptr;
  math->lanes = width;
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* element = math->type == 'd' ? llvm::Type::getDoubleTy(context) : llvm::Type::getFloatTy(context);
  llvm::Type* vector = llvm::FixedVectorType::get(element, width);
  llvm::Type* integers = llvm::FixedVectorType::get(llvm::Type::getInt32Ty(context), width);
  std::vector<llvm::Type*> parameters;
  for (const char operand : math->operands) parameters.push_back(operand == 'i' ? integers : vector);
  auto* type = llvm::FunctionType::get(vector, parameters, false);
  auto* function = llvm::dyn_cast<llvm::Function>(module.getOrInsertFunction(mangled(*math), type).getCallee());
  if (function == nullptr || function->getFunctionType() != type) return nullptr;
  if (function->isDeclaration()) {
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->addFnAttr(llvm::Attribute::WillReturn);
  }
  return function;
}

domain::Status link_library(llvm::Module& module, Isa isa, Link which) {
  expand_builtins(module, which == Link::all);
  if (domain::Status status = move_in(module, isa, which); !status) return status;
  if (isa == Isa::sse && which == Link::all && use_soft_functions(module))
    if (domain::Status status = move_in(module, isa, which); !status) return status;
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) set_processor(function, isa);
  return {};
}

}  // namespace skmd::codegen
