// SPDX-License-Identifier: Apache-2.0
// The math functions that stay calls until vectors are made, and how their names change with the number of lanes.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

namespace skmd::codegen {

/// The two halves of "_Z3powDv8_fS_": "pow" and "Dv8_fS_".
struct SplitName {
  llvm::StringRef base;
  llvm::StringRef parameters;
};
std::optional<SplitName> split_name(llvm::StringRef name);

/// A call of a math function: its types are the element type `type`, or int where `operands` says 'i'.
struct MathName {
  llvm::StringRef base;      // "pow"
  llvm::StringRef operands;  // one letter each: 'v' of type `type`, 'i' int
  bool scalar_only = false;  // its vectors are loops, no better than calls one by one
  char type = 'f';           // 'f' float, 'd' double
  unsigned lanes = 1;        // 1, 2, 3, 4, 8, 16
};

/// What mangled `name` calls, if it is one of these functions. Its native_ and half_ forms are not: see plain_name.
std::optional<MathName> math_name(llvm::StringRef name);

/// "_Z3powDv8_fS_" for pow, 'f' and 8 lanes.
std::string mangled(const MathName& name);

/// Whether `name` is a mangled math function, of any lanes, that is better inlined into vectors' code than called.
bool is_short(llvm::StringRef name);

/// The name of the full-precision function for a native_ or half_ one (which may be as precise as they like); "" for
/// other names.
std::string plain_name(llvm::StringRef name);

}  // namespace skmd::codegen
