// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/paste_headers.h"

#include <string_view>

namespace skmd::icd {
namespace {

constexpr int kDeepest = 64;

std::string_view skip_blanks(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// The name in an #include line, or "".
std::string_view included_name(std::string_view line) {
  line = skip_blanks(line);
  if (line.empty() || line[0] != '#') return {};
  line = skip_blanks(line.substr(1));
  if (line.substr(0, 7) != "include") return {};
  line = skip_blanks(line.substr(7));
  if (line.empty() || (line[0] != '"' && line[0] != '<')) return {};
  const size_t end = line.find(line[0] == '"' ? '"' : '>', 1);
  return end == std::string_view::npos ? std::string_view() : line.substr(1, end - 1);
}

void paste(std::string_view source, const std::vector<compiler::Header>& headers, int depth, std::string& out) {
  while (!source.empty()) {
    const size_t end = source.find('\n');
    const std::string_view line = source.substr(0, end);
    const std::string_view name = included_name(line);
    const compiler::Header* header = nullptr;
    for (const compiler::Header& candidate : headers)
      if (!name.empty() && candidate.name == name) header = &candidate;
    if (header != nullptr && depth < kDeepest) {
      paste(header->text, headers, depth + 1, out);
    } else {
      out += line;
    }
    if (end == std::string_view::npos) return;
    out += '\n';
    source.remove_prefix(end + 1);
  }
}

}  // namespace

std::string paste_headers(const std::string& source, const std::vector<compiler::Header>& headers) {
  std::string out;
  paste(source, headers, 0, out);
  return out;
}

}  // namespace skmd::icd
