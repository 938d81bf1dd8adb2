// SPDX-License-Identifier: Apache-2.0
// Parameters, private and local variables, constant tables.
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Metadata.h>

#include "compiler/ir/address_spaces.h"
#include "compiler/ir/lanes.h"
#include "compiler/opencl_c/constants.h"
#include "compiler/opencl_c/printer.h"

namespace skmd::compiler::opencl_c {

namespace {

using llvm::Type;

// The scalar type that all of `type` is made of without gaps, or bytes.
Type* scalar_of(Type* type, const llvm::DataLayout& layout) {
  Type* bytes = Type::getInt8Ty(type->getContext());
  for (;;) {
    if (type->isArrayTy()) {
      type = type->getArrayElementType();
    } else if (type->isVectorTy()) {
      if (lanes_of(type) == 3) return bytes;
      type = type->getScalarType();
    } else if (type->isStructTy()) {
      return bytes;
    } else {
      break;
    }
  }
  const bool number = type->isFloatTy() || type->isDoubleTy() ||
                      (type->isIntegerTy() && !integer_name(type->getIntegerBitWidth(), false).empty());
  return number && layout.getTypeAllocSize(type) == layout.getTypeStoreSize(type) ? type : bytes;
}

// "uint NAME[16] __attribute__((aligned(4)))"
std::string array(Printer& printer, const std::string& name, Type& whole, std::uint64_t bytes, std::uint64_t align) {
  Type* element = scalar_of(&whole, printer.layout);
  std::uint64_t size = printer.layout.getTypeAllocSize(element);
  if (bytes % size != 0) return printer.refuse("a variable's size is no multiple of its elements'");
  const std::uint64_t count = std::max<std::uint64_t>(1, bytes / size);
  return printer.type(*element) + " " + name + "[" + std::to_string(count) + "] __attribute__((aligned(" +
         std::to_string(align) + ")))";
}

void declare_table(Printer& printer, const llvm::GlobalVariable& table, const std::string& name, std::uint64_t align) {
  std::string bytes;
  if (!table.isConstant() || !table.hasInitializer() || !bytes_of(*table.getInitializer(), printer.layout, bytes))
    return (void)printer.refuse("the constant " + table.getName().str() + " has no value that OpenCL C can hold");
  if (bytes.empty()) bytes.resize(1);
  const std::uint64_t size = printer.layout.getTypeAllocSize(scalar_of(table.getValueType(), printer.layout));
  const std::uint64_t unit = bytes.size() % size == 0 ? size : 1;
  std::string text = "constant " + integer_name(static_cast<unsigned>(8 * unit), false) + " " + name + "[" +
                     std::to_string(bytes.size() / unit) + "] __attribute__((aligned(" + std::to_string(align) +
                     "))) = {";
  for (std::size_t at = 0; at < bytes.size(); at += unit) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < unit; ++i)
      number |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    text += (at == 0               ? ""
             : at / unit % 16 == 0 ? ",\n  "
                                   : ", ") +
            (unit == 8 ? integer_literal(number, 64) : std::to_string(number) + "u");
  }
  printer.file += text + "};\n";
}

void declare_global(Printer& printer, const llvm::GlobalVariable& variable, const std::string& name) {
  const std::uint64_t align =
      variable.getAlign().value_or(printer.layout.getABITypeAlign(variable.getValueType())).value();
  if (variable.getAddressSpace() == kConstantSpace) return declare_table(printer, variable, name, align);
  if (variable.getAddressSpace() != kLocalSpace)
    return (void)printer.refuse("the variable " + variable.getName().str() + " is at file scope, but not constant");
  printer.variables +=
      "  local " +
      array(printer, name, *variable.getValueType(), printer.layout.getTypeAllocSize(variable.getValueType()), align) +
      ";\n";
}

void declare_private(Printer& printer, const llvm::AllocaInst& variable, const std::string& name) {
  const auto size = variable.getAllocationSize(printer.layout);
  if (!variable.isStaticAlloca() || !size || size->isScalable()) return (void)printer.refuse(variable);
  printer.variables +=
      "  " + array(printer, name, *variable.getAllocatedType(), size->getFixedValue(), variable.getAlign().value()) +
      ";\n";
}

llvm::StringRef argument_fact(const llvm::Function& kernel, llvm::StringRef kind, unsigned number) {
  const llvm::MDNode* facts = kernel.getMetadata(kind);
  if (facts == nullptr || number >= facts->getNumOperands()) return {};
  const auto* fact = llvm::dyn_cast<llvm::MDString>(facts->getOperand(number));
  return fact == nullptr ? llvm::StringRef() : fact->getString();
}

// Images and samplers, whose types in the IR do not say all.
std::string handle_type(const llvm::Argument& argument) {
  const llvm::Function& kernel = *argument.getParent();
  const std::string base = argument_fact(kernel, "kernel_arg_base_type", argument.getArgNo()).str();
  const std::string access = argument_fact(kernel, "kernel_arg_access_qual", argument.getArgNo()).str();
  if (base == "sampler_t") return base;
  const bool image = base.starts_with("image") && base.ends_with("_t") &&
                     (access == "read_only" || access == "write_only" || access == "read_write");
  return image ? access + " " + base : "";
}

bool is_constant(const llvm::Argument& argument) {
  return argument.getType()->isPointerTy() && argument.getType()->getPointerAddressSpace() == kGlobalSpace &&
         argument_fact(*argument.getParent(), "kernel_arg_type_qual", argument.getArgNo()).contains("const");
}

std::string parameter(Printer& printer, const llvm::Argument& argument) {
  const std::string name = printer.names.of(argument);
  const Type& type = *argument.getType();
  if (type.isTargetExtTy()) {
    const std::string handle = handle_type(argument);
    if (handle.empty()) (void)printer.refuse("parameter " + argument.getName().str() + " is no image or sampler");
    return handle + " " + name;
  }
  if (argument.hasByValAttr()) {
    const std::uint64_t bytes = printer.layout.getTypeAllocSize(argument.getParamByValType());
    const std::uint64_t align = argument.getParamAlign().valueOrOne().value();
    const bool simple = bytes != 0 && bytes % align == 0 && !argument.getParamByValType()->isPointerTy();
    if (!simple || align > 128) return printer.refuse("parameter " + argument.getName().str() + " has no type");
    const std::uint64_t unit = std::min<std::uint64_t>(align, 8);
    const std::string own = printer.names.at_file_scope(name);
    printer.file += "struct __attribute__((aligned(" + std::to_string(align) + "))) " + own + " { " +
                    integer_name(static_cast<unsigned>(unit * 8), false) + " content[" + std::to_string(bytes / unit) +
                    "]; };\n";
    return "struct " + own + " " + name;
  }
  if (type.isIntegerTy(1)) (void)printer.refuse("parameter " + argument.getName().str() + " is a single bit");
  return (is_constant(argument) ? "const " : "") + printer.type(type) + " " + name;
}

}  // namespace

std::string declare_variable(Printer& printer, const llvm::Value& variable) {
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&variable)) {
    const std::string name = printer.names.of(*argument);
    if (argument->hasByValAttr()) return "((private uchar*)&" + name + ")";
    // One to constant data is used as one to any.
    return is_constant(*argument) ? "((" + printer.type(*argument->getType()) + ")" + name + ")" : name;
  }
  const bool is_new = !printer.names.has(variable);
  std::string name = printer.names.of(variable);
  if (!is_new) return name;
  if (const auto* own = llvm::dyn_cast<llvm::AllocaInst>(&variable))
    declare_private(printer, *own, name);
  else
    declare_global(printer, llvm::cast<llvm::GlobalVariable>(variable), name);
  return name;
}

std::string parameter_list(Printer& printer) {
  std::string text;
  for (const llvm::Argument& argument : printer.kernel.args())
    text += (text.empty() ? "" : ", ") + parameter(printer, argument);
  return text;
}

}  // namespace skmd::compiler::opencl_c
