// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace skmd::compiler {
namespace {

using domain::Error;
using domain::Result;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

bool is_identifier(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) return false;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '$') return false;
  }
  return true;
}

/// NAME, NAME=…, or NAME(parameters)=…: a vendor's compiler would accept nothing else.
bool is_macro_definition(std::string_view text) {
  const std::size_t end = text.find_first_of("=(");
  if (!is_identifier(text.substr(0, end))) return false;
  if (end == std::string_view::npos || text[end] == '=') return true;
  const std::size_t close = text.find(')', end);
  return close != std::string_view::npos && (close + 1 == text.size() || text[close + 1] == '=');
}

/// What becomes of a switch that takes no value.
struct Switch {
  std::string_view name;
  bool vendor;  // it changes code, so vendors are told
  bool clang;   // Clang's cc1 takes it under the same name
};

// -cl-uniform-work-group-size, -cl-no-subgroup-ifp and -cl-strict-aliasing change nothing for a device without
// non-uniform groups and sub-groups; vendors of OpenCL 1.2 refuse the first two.
constexpr std::array<Switch, 16> kSwitches{{
    {"-cl-single-precision-constant", true, true},
    {"-cl-denorms-are-zero", true, false},  // a permission, and for Clang a switch of its driver
    {"-cl-fp32-correctly-rounded-divide-sqrt", true, true},
    {"-cl-opt-disable", true, false},
    {"-cl-mad-enable", true, true},
    {"-cl-no-signed-zeros", true, true},
    {"-cl-unsafe-math-optimizations", true, true},
    {"-cl-finite-math-only", true, true},
    {"-cl-fast-relaxed-math", true, true},
    {"-cl-uniform-work-group-size", false, false},
    {"-cl-no-subgroup-ifp", false, false},
    {"-cl-strict-aliasing", false, false},
    {"-cl-kernel-arg-info", false, false},
    {"-w", false, false},
    {"-Werror", false, false},
    {"-g", false, false},
}};

const Switch* find_switch(std::string_view word) {
  for (const Switch& known : kSwitches) {
    if (known.name == word) return &known;
  }
  return nullptr;
}

void add_vendor_option(Options& options, std::string_view word) {
  if (!options.vendor_options.empty()) options.vendor_options += ' ';
  options.vendor_options += word;
}

void apply_switch(Options& options, const Switch& found) {
  if (found.name == "-cl-fast-relaxed-math") options.fast_relaxed_math = true;
  if (found.name == "-cl-kernel-arg-info") options.kernel_arg_info = true;
  if (found.name == "-w") options.no_warnings = true;
  if (found.name == "-Werror") options.warnings_are_errors = true;
  if (found.clang) options.code_generation.emplace_back(found.name);
  if (found.vendor) add_vendor_option(options, found.name);
}

std::optional<int> version_of(std::string_view standard) {
  if (standard == "CL1.0") return 100;
  if (standard == "CL1.1") return 110;
  if (standard == "CL1.2") return 120;
  if (standard == "CL3.0") return 300;
  return std::nullopt;
}

std::optional<PreprocessorOption::Kind> preprocessor_kind(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return std::nullopt;
  switch (word[1]) {
    case 'D':
      return PreprocessorOption::Kind::define;
    case 'U':
      return PreprocessorOption::Kind::undefine;
    case 'I':
      return PreprocessorOption::Kind::include_folder;
    default:
      return std::nullopt;
  }
}

Error invalid(std::string_view word, std::string_view why) {
  return Error{-43, "build option '" + std::string(word) + "' " + std::string(why)};  // CL_INVALID_BUILD_OPTIONS
}

domain::Status check_preprocessor_option(const PreprocessorOption& option, std::string_view word) {
  using Kind = PreprocessorOption::Kind;
  if (option.text.empty()) return invalid(word, "lacks its value");
  if (option.kind == Kind::define && !is_macro_definition(option.text)) {
    return invalid(word, "defines '" + option.text + "', which is no macro name");
  }
  if (option.kind == Kind::undefine && !is_identifier(option.text)) {
    return invalid(word, "undefines '" + option.text + "', which is no macro name");
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view options) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const char c = options[i];
    const char next = i + 1 < options.size() ? options[i + 1] : '\0';
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else if (c == '\\' && quote == '"' && (next == '"' || next == '\\')) {
        word += next;
        ++i;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == '\\' && (next == '"' || next == '\'' || next == '\\' || is_blank(next))) {
      word += next;
      in_word = true;
      ++i;
    } else if (is_blank(c)) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) return Error{-43, std::string("build options end inside a ") + quote + " quote"};
  if (in_word) words.push_back(std::move(word));
  return words;
}

Result<Options> parse_options(std::string_view text) {
  Result<std::vector<std::string>> words = split_words(text);
  if (!words) return words.error();
  Options options;
  bool standard_given = false;
  for (std::size_t i = 0; i < words->size(); ++i) {
    const std::string& word = (*words)[i];
    if (const auto kind = preprocessor_kind(word)) {
      PreprocessorOption option{*kind, word.substr(2)};
      // A quoted "-D X=1" is one word.
      option.text.erase(0, std::min(option.text.find_first_not_of(" \t"), option.text.size()));
      if (option.text.empty() && i + 1 < words->size()) option.text = (*words)[++i];
      if (domain::Status status = check_preprocessor_option(option, word); !status) return status.error();
      options.preprocessor.push_back(std::move(option));
      continue;
    }
    if (word.rfind("-cl-std=", 0) == 0) {
      const std::optional<int> version = version_of(std::string_view(word).substr(8));
      if (!version) return invalid(word, "names no standard of this device (CL1.0, CL1.1, CL1.2, CL3.0)");
      options.version = *version;
      standard_given = true;
      continue;
    }
    const Switch* found = find_switch(word);
    if (found == nullptr) return invalid(word, "is unknown");
    apply_switch(options, *found);
  }
  // OpenCL 1.2 has no name for 1.0; nothing that is left in preprocessed text tells 1.0 from 1.1.
  if (standard_given) {
    add_vendor_option(options, options.version == 300   ? "-cl-std=CL3.0"
                               : options.version == 120 ? "-cl-std=CL1.2"
                                                        : "-cl-std=CL1.1");
  }
  return options;
}

}  // namespace skmd::compiler
