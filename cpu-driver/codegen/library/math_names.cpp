// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/library/math_names.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/Twine.h>

#include <array>

namespace skmd::codegen {

namespace {

struct Entry {
  llvm::StringLiteral base;
  llvm::StringLiteral operands;
  bool scalar_only = false;
};

// What a few instructions do (fabs, floor, sqrt, fmin, copysign, ldexp...) is not here: it is better inlined. Nor are
// functions that give a second result through a pointer.
constexpr Entry kKept[] = {
    {"acos", "v"},  {"acosh", "v"},  {"acospi", "v"},     {"asin", "v"},         {"asinh", "v"},  {"asinpi", "v"},
    {"atan", "v"},  {"atan2", "vv"}, {"atan2pi", "vv"},   {"atanh", "v"},        {"atanpi", "v"}, {"cbrt", "v"},
    {"cos", "v"},   {"cosh", "v"},   {"cospi", "v"},      {"erf", "v"},          {"erfc", "v"},   {"exp", "v"},
    {"exp10", "v"}, {"exp2", "v"},   {"expm1", "v"},      {"fmod", "vv"},        {"hypot", "vv"}, {"lgamma", "v", true},
    {"log", "v"},   {"log10", "v"},  {"log1p", "v"},      {"log2", "v"},         {"pow", "vv"},   {"pown", "vi"},
    {"powr", "vv"}, {"rootn", "vi"}, {"remainder", "vv"}, {"sin", "v"},          {"sinh", "v"},   {"sinpi", "v"},
    {"tan", "v"},   {"tanh", "v"},   {"tanpi", "v"},      {"tgamma", "v", true},
};

constexpr llvm::StringLiteral kLoose[] = {"sin", "cos", "tan", "exp", "exp2", "exp10", "log", "log2", "log10", "powr"};

// Not longer than what a call costs, with the registers that it takes from its caller.
constexpr llvm::StringLiteral kShort[] = {"cos", "exp", "exp10", "exp2", "log", "log10", "log2", "sin"};

/// The lanes and letter of the first parameter.
bool read_first(llvm::StringRef parameters, unsigned& lanes, char& type) {
  lanes = 1;
  if (parameters.consume_front("Dv") && (parameters.consumeInteger(10, lanes) || !parameters.consume_front("_")))
    return false;
  if (parameters.empty()) return false;
  type = parameters.front();
  return type == 'f' || type == 'd';
}

}  // namespace

std::optional<SplitName> split_name(llvm::StringRef name) {
  unsigned length = 0;
  if (!name.consume_front("_Z") || name.consumeInteger(10, length) || length > name.size()) return std::nullopt;
  return SplitName{name.take_front(length), name.drop_front(length)};
}

std::string mangled(const MathName& name) {
  std::string text = ("_Z" + llvm::Twine(name.base.size()) + name.base).str();
  const std::string vector = "Dv" + std::to_string(name.lanes) + "_";
  for (std::size_t index = 0; index < name.operands.size(); ++index) {
    const char letter = name.operands[index] == 'i' ? 'i' : name.type;
    if (name.lanes == 1)
      text += letter;
    else if (index > 0 && letter == name.type)
      text += "S_";
    else
      text += vector + letter;
  }
  return text;
}

std::optional<MathName> math_name(llvm::StringRef name) {
  const auto parts = split_name(name);
  if (!parts) return std::nullopt;
  for (const Entry& entry : kKept) {
    if (entry.base != parts->base) continue;
    MathName found{entry.base, entry.operands, entry.scalar_only};
    if (!read_first(parts->parameters, found.lanes, found.type) || mangled(found) != name) return std::nullopt;
    return found;
  }
  return std::nullopt;
}

bool is_short(llvm::StringRef name) {
  const std::optional<MathName> math = math_name(name);
  return math && llvm::is_contained(kShort, math->base);
}

std::string plain_name(llvm::StringRef name) {
  const auto parts = split_name(name);
  if (!parts) return "";
  llvm::StringRef base = parts->base;
  if (!base.consume_front("native_") && !base.consume_front("half_")) return "";
  if (!llvm::is_contained(kLoose, base)) return "";
  return ("_Z" + llvm::Twine(base.size()) + base + parts->parameters).str();
}

}  // namespace skmd::codegen
