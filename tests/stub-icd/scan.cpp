// SPDX-License-Identifier: Apache-2.0
// Finds kernels and their parameters in OpenCL C by words alone: enough for texts that our own tests write.
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <utility>

#include "tests/stub-icd/stub.h"

namespace stub {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string without_comments(const std::string& text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      while (i < text.size() && text[i] != '\n') ++i;
      clean += '\n';
    } else if (text.compare(i, 2, "/*") == 0) {
      const auto end = text.find("*/", i + 2);
      i = end == std::string::npos ? text.size() : end + 1;
      clean += ' ';
    } else {
      clean += text[i];
    }
  }
  return clean;
}

std::size_t value_bytes(const std::string& type) {
  static const std::map<std::string, std::size_t> kScalars = {
      {"char", 1}, {"uchar", 1}, {"bool", 1}, {"short", 2}, {"ushort", 2}, {"half", 2},   {"int", 4},
      {"uint", 4}, {"float", 4}, {"long", 8}, {"ulong", 8}, {"double", 8}, {"size_t", 8}, {"unsigned", 4},
  };
  const auto digits = type.find_first_of("0123456789");
  const auto found = kScalars.find(type.substr(0, digits));
  if (found == kScalars.end()) return 0;
  const int lanes = digits == std::string::npos ? 1 : std::atoi(type.c_str() + digits);
  return found->second * static_cast<std::size_t>(lanes == 3 ? 4 : lanes);
}

Parameter parsed_parameter(const std::string& text) {
  Parameter parameter;
  std::vector<std::string> words;
  std::string word;
  for (char c : text + " ") {
    if (in_word(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  const auto has = [&](const std::string& wanted) {
    for (const std::string& w : words) {
      if (w == wanted || w == "__" + wanted) return true;
    }
    return false;
  };
  if (!words.empty()) parameter.name = words.back();
  const bool pointer = text.find('*') != std::string::npos || text.find('[') != std::string::npos;
  for (const std::string& w : words) {
    if (w.starts_with("image") && w.ends_with("_t")) parameter.kind = ArgumentKind::image;
    if (w == "sampler_t") parameter.kind = ArgumentKind::sampler;
    if (value_bytes(w) != 0 && parameter.type.empty()) parameter.type = w;
  }
  if (pointer) parameter.kind = has("local") ? ArgumentKind::local : ArgumentKind::buffer;
  if (parameter.kind == ArgumentKind::value) parameter.bytes = value_bytes(parameter.type);
  return parameter;
}

/// Splits at commas outside of brackets.
std::vector<Parameter> parsed_parameters(const std::string& text) {
  std::vector<Parameter> parameters;
  int depth = 0;
  std::string part;
  for (char c : text + ",") {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != ',' || depth != 0) {
      part += c;
      continue;
    }
    const auto first = part.find_first_not_of(" \t\r\n");
    const std::string trimmed = first == std::string::npos ? "" : part.substr(first);
    if (!trimmed.empty() && trimmed.substr(0, trimmed.find_last_not_of(" \t\r\n") + 1) != "void") {
      parameters.push_back(parsed_parameter(part));
    }
    part.clear();
  }
  return parameters;
}

/// Position after the bracket that closes the one at `open`.
std::size_t after_bracket(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return text.size();
}

/// The word before `end`, skipping blanks; "" at other characters.
std::string word_before(const std::string& text, std::size_t end) {
  while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
  std::size_t begin = end;
  while (begin > 0 && in_word(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

/// A parameter of a kernel in PTX: a pointer, or so many bytes.
Parameter ptx_parameter(const std::string& line) {
  Parameter parameter;
  const auto bracket = line.find('[');
  parameter.kind = line.find(".ptr") != std::string::npos ? ArgumentKind::buffer : ArgumentKind::value;
  if (bracket != std::string::npos) parameter.bytes = static_cast<std::size_t>(std::atoll(line.c_str() + bracket + 1));
  return parameter;
}

}  // namespace

std::vector<KernelText> scan_ptx(const std::string& text) {
  constexpr const char* kMergeKernel = "skmd_merge_stub_scatter";
  constexpr const char* kEntry = "\n.entry ";
  std::vector<KernelText> kernels;
  for (std::size_t at = text.find(kEntry); at != std::string::npos; at = text.find(kEntry, at + 1)) {
    const std::size_t name = at + std::strlen(kEntry);
    const std::size_t open = text.find('(', name);
    const std::size_t close = text.find("\n)", open);
    if (open == std::string::npos || close == std::string::npos) break;
    KernelText kernel{text.substr(name, open - name), {}};
    std::istringstream lines(text.substr(open + 1, close - open - 1));
    for (std::string line; std::getline(lines, line);)
      if (line.find(".param") != std::string::npos) kernel.parameters.push_back(ptx_parameter(line));
    if (kernel.name == kMergeKernel) kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<KernelText> scan_kernels(const std::string& source) {
  const std::string text = without_comments(source);
  std::vector<KernelText> kernels;
  for (std::size_t i = 0; i < text.size();) {
    if (!in_word(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && in_word(text[end])) ++end;
    const std::string word = text.substr(i, end - i);
    i = end;
    if (word != "kernel" && word != "__kernel") continue;
    // The parameter list is the first bracket that does not belong to an attribute.
    std::size_t open = text.find('(', i);
    while (open != std::string::npos && word_before(text, open) == "__attribute__") {
      open = text.find('(', after_bracket(text, open));
    }
    if (open == std::string::npos) break;
    const std::size_t close = after_bracket(text, open);
    const std::string name = word_before(text, open);
    i = close;
    const auto body = text.find_first_not_of(" \t\r\n", close);
    if (name.empty() || body == std::string::npos || text[body] == ';') continue;
    kernels.push_back({name, parsed_parameters(text.substr(open + 1, close - open - 2))});
  }
  return kernels;
}

}  // namespace stub
