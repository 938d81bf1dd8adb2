// SPDX-License-Identifier: Apache-2.0
// Types of builtins' parameters, from what LLVM makes of a mangled name: "float vector[4] const AS1*".
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>

#include "compiler/opencl_c/printer.h"

namespace skmd::compiler::opencl_c {

namespace {

llvm::StringRef scalar_type(llvm::StringRef words) {
  return llvm::StringSwitch<llvm::StringRef>(words)
      .Cases({"char", "signed char"}, "char")
      .Case("unsigned char", "uchar")
      .Case("short", "short")
      .Case("unsigned short", "ushort")
      .Case("int", "int")
      .Case("unsigned int", "uint")
      .Case("long", "long")
      .Case("unsigned long", "ulong")
      .Cases({"half", "_Float16"}, "half")
      .Case("float", "float")
      .Case("double", "double")
      .Case("void", "void")
      .Default("");
}

bool is_floating(llvm::StringRef name) { return name == "half" || name == "float" || name == "double"; }

}  // namespace

ParameterType parameter_type(llvm::StringRef demangled) {
  ParameterType type;
  llvm::StringRef text = demangled.trim();
  if (text.starts_with("ocl_")) {
    type.is_handle = text.starts_with("ocl_image") || text == "ocl_sampler";
    type.name = type.is_handle ? text.str() : "";
    return type;
  }
  if (text == "memory_order" || text == "memory_scope") {
    type.is_enumeration = true;
    type.name = text.str();
    return type;
  }
  type.is_pointer = text.consume_back("*");
  llvm::SmallVector<llvm::StringRef, 8> words;
  text.split(words, ' ', -1, false);
  std::string base, lanes, space = "private", qualifiers;
  for (llvm::StringRef word : words) {
    if (word == "const" || word == "volatile") {
      qualifiers += word.str() + " ";
    } else if (word.consume_front("AS")) {
      unsigned number = 0;
      space = word.getAsInteger(10, number) ? "" : space_name(number);
    } else if (word.consume_front("vector[") && word.consume_back("]")) {
      lanes = word.str();
    } else if (word != "restrict") {
      base += (base.empty() ? "" : " ") + word.str();
    }
  }
  const llvm::StringRef scalar = scalar_type(base);
  if (scalar.empty() || space.empty()) return type;
  type.is_vector = !lanes.empty();
  type.is_integer = !is_floating(scalar) && scalar != "void";
  type.name = scalar.str() + lanes;
  if (type.is_pointer) type.name = qualifiers + space + " " + type.name + "*";
  return type;
}

}  // namespace skmd::compiler::opencl_c
