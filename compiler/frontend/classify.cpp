// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/classify.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace skmd::compiler {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

/// An extension pragma that is not one of Khronos': its keywords and builtins are a vendor's own.
std::string vendor_extension(std::string_view text) {
  constexpr std::string_view kPragma = "#pragma OPENCL EXTENSION ";
  for (std::size_t at = text.find(kPragma); at != std::string_view::npos; at = text.find(kPragma, at + 1)) {
    std::string_view name = text.substr(at + kPragma.size());
    name = name.substr(0, std::min(name.find_first_of(" :\t\n"), name.size()));
    if (name.rfind("cl_", 0) == 0 && name.rfind("cl_khr_", 0) != 0) return std::string(name);
  }
  return {};
}

/// Names that only an implementation, never an application, would be expected to declare.
bool looks_like_builtin(std::string_view name) {
  constexpr std::array<std::string_view, 34> kPrefixes{
      "__",         "intel_",      "amd_",       "nv_",         "arm_",    "qcom_",    "cl_",
      "CL_",        "CLK_",        "sub_group_", "work_group_", "atomic_", "atom_",    "get_",
      "async_",     "vload",       "vstore",     "native_",     "half_",   "convert_", "as_",
      "read_image", "write_image", "bitfield_",  "bit_reverse", "dot_",    "ctz",      "popcount",
      "enqueue_",   "memory_",     "shuffle",    "printf",      "pocl_",   "_cl_"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.rfind(prefix, 0) == 0; });
}

/// True for `name (…) {`.
bool is_defined(std::string_view text, std::string_view name) {
  if (name.empty()) return false;
  const auto skip_blanks = [&](std::size_t i) { return std::min(text.find_first_not_of(" \t\r\n", i), text.size()); };
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    std::size_t i = skip_blanks(at + name.size());
    if ((at != 0 && is_word(text[at - 1])) || i == text.size() || text[i] != '(') continue;
    int depth = 0;
    for (; i < text.size(); ++i) {
      if (text[i] == '(') ++depth;
      if (text[i] == ')' && --depth == 0) break;
    }
    i = i < text.size() ? skip_blanks(i + 1) : i;
    if (i < text.size() && text[i] == '{') return true;
  }
  return false;
}

/// The first name in single quotes in a message of Clang's.
std::string_view quoted(std::string_view message) {
  const std::size_t open = message.find('\'');
  if (open == std::string_view::npos) return {};
  const std::size_t close = message.find('\'', open + 1);
  return close == std::string_view::npos ? std::string_view{} : message.substr(open + 1, close - open - 1);
}

bool is_about_an_unknown_name(std::string_view message) {
  return message.find("undeclared") != std::string_view::npos ||
         message.find("unknown type name") != std::string_view::npos ||
         message.find("implicit declaration") != std::string_view::npos ||
         message.find("call to undeclared") != std::string_view::npos;
}

/// What Clang has no overload for a vendor may have: atomics on floats, pow(float, int), 3D image writes.
bool is_about_an_overload(std::string_view message) {
  return message.find("no matching function for call to") != std::string_view::npos ||
         (message.rfind("call to '", 0) == 0 && message.find("is ambiguous") != std::string_view::npos);
}

/// Limits of this Clang, not faults of the program.
bool is_about_our_compiler(std::string_view message) {
  return message.find("blocks support disabled") != std::string_view::npos ||
         message.find("cannot compile this") != std::string_view::npos ||
         message.find("is not supported on this target") != std::string_view::npos;
}

}  // namespace

std::string reason_for_doubt(const Diagnostics& diagnostics, const std::string& preprocessed) {
  if (diagnostics.errors.empty()) return "Clang gave no code for the program";
  for (const Diagnostic& error : diagnostics.errors) {
    if (is_about_our_compiler(error.message)) return error.message;
    if (is_about_an_overload(error.message) && !is_defined(preprocessed, quoted(error.message))) {
      return "'" + std::string(quoted(error.message)) + "' is not known to our front end with these arguments";
    }
    if (!is_about_an_unknown_name(error.message)) continue;
    const std::string_view name = quoted(error.message);
    if (looks_like_builtin(name)) return "'" + std::string(name) + "' is unknown to our front end";
    // C89 let a function be called before it was declared, and so do old vendors' compilers.
    if (is_defined(preprocessed, name)) return "'" + std::string(name) + "' is called before it is declared";
  }
  if (const std::string name = vendor_extension(preprocessed); !name.empty())
    return "extension " + name + " is unknown to our front end";
  for (const std::string_view word : {"asm", "__asm", "__asm__", "pipe", "__builtin_amdgcn_", "enqueue_kernel"}) {
    if (has_word(preprocessed, word)) return "'" + std::string(word) + "' may mean more to a vendor's compiler";
  }
  return {};
}

}  // namespace skmd::compiler
