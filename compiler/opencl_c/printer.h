// SPDX-License-Identifier: Apache-2.0
// What the parts that print share. Each text of a value has the type that Types::name gives, or is an int of 0 or 1 for
// i1, and stands as an operand of anything.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <string>
#include <vector>

#include "compiler/opencl_c/names.h"
#include "compiler/opencl_c/placement.h"
#include "compiler/opencl_c/types.h"

namespace skmd::compiler::opencl_c {

struct Printer {
  explicit Printer(const llvm::Function& function);

  /// The type's name; notes a refusal if there is none.
  std::string type(const llvm::Type& type);
  /// A value where it is used: a name, a constant or a whole expression.
  std::string value(const llvm::Value& value);
  /// An integer as a signed one of the same size.
  std::string signed_value(const llvm::Value& value);
  /// The text of a signed integer as the unsigned one.
  std::string from_signed(const std::string& text, const llvm::Type& type);
  std::string to_signed(const std::string& text, const llvm::Type& type);
  /// A declared variable of that type.
  std::string variable(const llvm::Type& type);
  void line(const std::string& text) { body += "  " + text + "\n"; }
  /// The same, if there is any text.
  void line_of(const std::string& text) {
    if (!text.empty()) line(text);
  }
  /// `result` of an instruction is `text`.
  void assign(const llvm::Instruction& result, const std::string& text);
  /// Notes the first reason. Returns text that stands for what has none.
  std::string refuse(const std::string& reason);
  std::string refuse(const llvm::Instruction& instruction);

  const llvm::Function& kernel;
  const llvm::DataLayout& layout;
  Types types;
  Names names;
  Placement placement;
  std::string body;
  std::string variables;  // declarations at the kernel's begin
  std::string file;       // and at file scope
  std::string refusal;

 private:
  std::string declared(const llvm::Instruction& instruction);
  llvm::DenseSet<const llvm::Value*> declared_;
};

/// The text of an expression where nothing stands beside it.
std::string bare(const std::string& text);
/// A type for a reason.
std::string in_words(const llvm::Type& type);
/// The right side of an instruction that has a result and no effect.
std::string expression(Printer& printer, const llvm::Instruction& instruction);
/// An instruction that is no part of an expression, and no terminator.
void print_statement(Printer& printer, const llvm::Instruction& instruction);

// The parts of expression(). Each refuses what it does not know.
std::string cast_text(Printer& printer, const llvm::CastInst& cast);
/// To more bits, of a number with a sign; also of one that is known not to be negative.
bool is_signed_extension(const llvm::CastInst& cast);
std::string extraction_text(Printer& printer, const llvm::ExtractElementInst& extraction);
std::string insertion_text(Printer& printer, const llvm::InsertElementInst& insertion);
std::string shuffle_text(Printer& printer, const llvm::ShuffleVectorInst& shuffle);
/// An element with the type that Types::name gives it in a vector.
std::string element_text(Printer& printer, const llvm::Value& vector, unsigned index);
/// A vector of i1 as one of signed integers of `bits` bits, 0 or -1.
std::string mask_text(Printer& printer, const llvm::Value& mask, unsigned bits);
/// Of vectors: signed integers as wide as what is compared.
std::string comparison_text(Printer& printer, const llvm::CmpInst& comparison);
std::string call_text(Printer& printer, const llvm::CallBase& call);
std::string intrinsic_text(Printer& printer, const llvm::IntrinsicInst& intrinsic);
std::string address_text(Printer& printer, const llvm::Value& pointer);
std::string load_text(Printer& printer, const llvm::LoadInst& load);
/// Such a load and the extension to `to` are a function that needs no type half.
bool is_load_of_half(const llvm::LoadInst& load);
std::string half_load_text(Printer& printer, const llvm::LoadInst& load, const llvm::Type& to);

// The parts of print_statement().
void print_store(Printer& printer, const llvm::StoreInst& store);
/// Of a vector that is in memory only element by element.
void print_load_of_elements(Printer& printer, const llvm::LoadInst& load);
void print_atomic(Printer& printer, const llvm::Instruction& instruction);
void print_overflow(Printer& printer, const llvm::IntrinsicInst& intrinsic);
void print_transfer(Printer& printer, const llvm::MemIntrinsic& transfer);
void print_vector_statement(Printer& printer, const llvm::Instruction& instruction);

/// The results of an instruction that has a struct, or a vector that OpenCL C does not have: variables' names.
std::string result_part(Printer& printer, const llvm::Instruction& instruction, unsigned part);

/// The type of a parameter of a builtin from its demangled name, "int volatile AS1*".
struct ParameterType {
  std::string name;  // in OpenCL C; "" if it is not known
  bool is_vector = false;
  bool is_pointer = false;
  bool is_integer = false;  // or a vector of them
  bool is_handle = false;   // an image, a sampler
  bool is_enumeration = false;
};
ParameterType parameter_type(llvm::StringRef demangled);

/// The kernel's blocks into printer.body.
void print_blocks(Printer& printer);
/// Declarations of the variables of kernel and module that the kernel uses. Text of a parameter list.
std::string declare_variable(Printer& printer, const llvm::Value& variable);
std::string parameter_list(Printer& printer);

}  // namespace skmd::compiler::opencl_c
