// SPDX-License-Identifier: Apache-2.0
// Names of types in OpenCL C.
#pragma once

#include <llvm/IR/DerivedTypes.h>

#include <cstdint>
#include <set>
#include <string>

namespace skmd::compiler::opencl_c {

/// "global" and the like; "" for the generic address space and unknown ones.
std::string space_name(unsigned space);

/// "uint" or "int"; "" where there is no such type.
std::string integer_name(unsigned bits, bool is_signed);

/// Whether OpenCL C has vectors of so many elements.
bool has_vector_of(unsigned lanes);

/// Names, and what the text has to declare for those that were asked for.
class Types {
 public:
  /// Of a variable: integers are unsigned, i1 is bool, a vector of i1 is one of char, 0 or -1. "" if there is none.
  std::string name(const llvm::Type& type);
  /// The same with signed integers.
  std::string signed_name(const llvm::Type& type);
  /// To access memory by, aligned to `align` bytes; `any`: other accesses may be by any other type. "" if there is
  /// none.
  std::string access_name(const llvm::Type& type, std::uint64_t align, bool any);
  /// Notes that an extension is used.
  void use(const std::string& extension) { extensions_.insert(extension); }
  /// What was asked for: for the file's begin, and for the kernel's.
  [[nodiscard]] std::string extensions() const;
  [[nodiscard]] std::string declarations() const;

 private:
  std::string scalar_name(const llvm::Type& type, bool is_signed);
  std::string vector_or_scalar(const llvm::Type& type, bool is_signed);

  std::set<std::string> extensions_;
  std::set<std::string> typedefs_;
};

}  // namespace skmd::compiler::opencl_c
