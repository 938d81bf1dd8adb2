// SPDX-License-Identifier: Apache-2.0
// Calls of OpenCL's builtin functions: their names, and arguments of the types that choose the same overload.
#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/GlobalVariable.h>

#include <array>

#include "compiler/client/stoppable.h"
#include "compiler/client/trapping.h"
#include "compiler/ir/builtin.h"
#include "compiler/opencl_c/printer.h"

namespace skmd::compiler::opencl_c {

namespace {

using llvm::Value;

std::string function_name(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee == nullptr ? "an unknown function" : callee->getName().str();
}

std::string refuse_call(Printer& printer, const llvm::CallBase& call) {
  return printer.refuse("it calls " + function_name(call) + ", which has no OpenCL C text");
}

// Vendors' headers may have other numbers.
std::string fence_flags(const Value& flags) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&flags);
  if (number == nullptr || number->getZExtValue() > 7) return {};
  constexpr const char* kNames[] = {"CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_IMAGE_MEM_FENCE"};
  std::string text;
  for (unsigned bit = 0; bit < 3; ++bit)
    if ((number->getZExtValue() >> bit & 1) != 0) text += (text.empty() ? "" : " | ") + std::string(kNames[bit]);
  return text.empty() ? "0" : text;
}

bool takes_fence_flags(llvm::StringRef name) {
  return name == "barrier" || name == "work_group_barrier" || name == "mem_fence" || name == "read_mem_fence" ||
         name == "write_mem_fence" || name == "atomic_work_item_fence";
}

std::string enumerator(llvm::StringRef type, const Value& value) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value);
  if (number == nullptr || number->getZExtValue() > 5) return {};
  constexpr const char* kOrders[] = {"relaxed", "", "acquire", "release", "acq_rel", "seq_cst"};
  constexpr const char* kScopes[] = {"work_item", "work_group", "device", "all_svm_devices", "sub_group", ""};
  const std::string name = (type == "memory_order" ? kOrders : kScopes)[number->getZExtValue()];
  return name.empty() ? name : type.str() + "_" + name;
}

// The bits of Clang's header by their names.
std::string declare_sampler(Printer& printer, std::uint64_t bits) {
  constexpr const char* kAddresses[] = {"NONE", "CLAMP_TO_EDGE", "CLAMP", "REPEAT", "MIRRORED_REPEAT"};
  const std::uint64_t address = bits >> 1 & 7;
  if (address > 4 || (bits >> 4 != 1 && bits >> 4 != 2)) return {};
  std::string name = printer.names.at_file_scope("sampler_" + std::to_string(bits));
  const std::string text = "constant sampler_t " + name + " = CLK_NORMALIZED_COORDS_" +
                           ((bits & 1) != 0 ? "TRUE" : "FALSE") + " | CLK_ADDRESS_" + kAddresses[address] +
                           " | CLK_FILTER_" + (bits >> 4 == 1 ? "NEAREST" : "LINEAR") + ";\n";
  if (printer.file.find(text) == std::string::npos) printer.file += text;
  return name;
}

std::string handle_text(Printer& printer, const llvm::CallBase& call, const Value& handle) {
  if (llvm::isa<llvm::Argument>(handle)) return printer.names.of(handle);
  const auto* literal = llvm::dyn_cast<llvm::CallBase>(&handle);
  if (literal != nullptr && function_name(*literal) == "__translate_sampler_initializer")
    if (const auto* bits = llvm::dyn_cast<llvm::ConstantInt>(literal->getArgOperand(0)))
      if (std::string name = declare_sampler(printer, bits->getZExtValue()); !name.empty()) return name;
  return refuse_call(printer, call);
}

std::string argument_text(Printer& printer, const llvm::CallBase& call, const ParameterType& type, const Value& value) {
  if (type.name.empty()) return refuse_call(printer, call);
  if (type.is_handle) return handle_text(printer, call, value);
  if (type.is_enumeration) {
    const std::string text = enumerator(type.name, value);
    return text.empty() ? refuse_call(printer, call) : text;
  }
  const std::string text = printer.value(value);
  if (type.is_pointer != value.getType()->isPointerTy() || type.is_vector != value.getType()->isVectorTy())
    return refuse_call(printer, call);
  if (type.is_vector) return type.is_integer ? "as_" + type.name + "(" + text + ")" : text;
  return "(" + type.name + ")" + text;
}

std::string result_text(Printer& printer, const llvm::CallBase& call, const std::string& text) {
  const llvm::Type& type = *call.getType();
  if (type.isVoidTy()) return text;
  const std::string name = printer.type(type);
  if (type.isIntOrIntVectorTy(1)) return refuse_call(printer, call);
  if (type.isPointerTy()) return "((" + name + ")" + text + ")";
  if (!type.isIntOrIntVectorTy()) return text;
  return type.isVectorTy() ? "as_" + name + "(" + text + ")" : "((" + name + ")" + text + ")";
}

// "float4, uint" of the text between the parentheses.
llvm::SmallVector<llvm::StringRef, 8> parameters_of(llvm::StringRef demangled) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  const std::size_t open = demangled.find('(');
  if (open == llvm::StringRef::npos || !demangled.consume_back(")")) return parts;
  const llvm::StringRef list = demangled.drop_front(open + 1);
  if (!list.empty() && list != "void") list.split(parts, ',');
  return parts;
}

std::string quoted(llvm::StringRef content) {
  std::string text = "\"";
  for (const char c : content) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?' || byte < 32 || byte > 126)
      text += std::string("\\") + static_cast<char>('0' + (byte >> 6)) + static_cast<char>('0' + (byte >> 3 & 7)) +
              static_cast<char>('0' + (byte & 7));
    else
      text += c;
  }
  return text + "\"";
}

std::string literal_of(const Value& value) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&value);
  if (variable == nullptr || !variable->isConstant() || !variable->hasInitializer()) return {};
  if (variable->getInitializer()->isNullValue()) return "\"\"";
  const auto* content = llvm::dyn_cast<llvm::ConstantDataArray>(variable->getInitializer());
  return content != nullptr && content->isCString() ? quoted(content->getAsCString()) : "";
}

// The bits of a number as half, rounded in a way, as the code generator's library gives them: by a store to memory,
// which needs no extension.
std::string half_text(Printer& printer, const llvm::CallBase& call, llvm::StringRef rounding) {
  const llvm::Value& number = *call.getArgOperand(0);
  const std::string type = printer.type(*number.getType());
  const std::string name = printer.names.at_file_scope("half_" + rounding.str() + "_" + type);
  const std::string text = "ushort " + name + "(" + type +
                           " number) {\n  uchar bytes[2] __attribute__((aligned(2)));\n" + "  vstore_half_" +
                           rounding.str() + "(number, 0, (private half*)bytes);\n" +
                           "  return as_ushort((uchar2)(bytes[0], bytes[1]));\n}\n";
  if (printer.file.find(text) == std::string::npos) printer.file += text;
  return name + "(" + printer.value(number) + ")";
}

std::string printf_text(Printer& printer, const llvm::CallBase& call) {
  std::string text;
  for (const Value* argument : call.args()) {
    std::string part = argument->getType()->isPointerTy() ? literal_of(*argument) : printer.value(*argument);
    if (part.empty()) return refuse_call(printer, call);
    text += (text.empty() ? "" : ", ") + part;
  }
  return "printf(" + text + ")";
}

}  // namespace

std::string call_text(Printer& printer, const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || call.isInlineAsm() || !callee->isDeclaration() || call.hasOperandBundles())
    return refuse_call(printer, call);
  if (callee->getName() == "printf") return result_text(printer, call, printf_text(printer, call));
  const Builtin builtin = builtin_of(call);
  llvm::StringRef rounding = builtin.name;
  if (rounding.consume_front("skmd_half_") && call.arg_size() == 1 && call.getType()->isIntegerTy(16))
    return half_text(printer, call, rounding);
  const llvm::StringRef name = callee->getName();
  constexpr std::array kDefined{kOver, kStateHere, kStagesHere, kLinearHere, kItemsHere, kTellTrap, kBehindBarrier};
  const bool defined = llvm::is_contained(kDefined, name);
  const bool own = builtin.name.starts_with("skmd") && !defined;
  if (!builtin.mangled || builtin.name.starts_with("_") || own) return refuse_call(printer, call);
  const std::string demangled = llvm::demangle(callee->getName());
  const auto parameters = parameters_of(demangled);
  if (parameters.size() != call.arg_size() || demangled == callee->getName()) return refuse_call(printer, call);
  std::string text;
  for (unsigned i = 0; i < parameters.size(); ++i) {
    const Value& value = *call.getArgOperand(i);
    std::string argument;
    if (i == 0 && takes_fence_flags(builtin.name)) {
      argument = fence_flags(value);
      if (argument.empty()) return refuse_call(printer, call);
    } else {
      argument = argument_text(printer, call, parameter_type(parameters[i]), value);
    }
    text += (i == 0 ? "" : ", ") + argument;
  }
  return result_text(printer, call, builtin.name.str() + "(" + text + ")");
}

}  // namespace skmd::compiler::opencl_c
