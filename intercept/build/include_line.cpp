// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/include_line.h"

namespace skmd::icd {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Whether the physical line is continued. Clang takes blanks behind the backslash for nothing.
bool continued(std::string_view line) {
  const std::size_t last = line.find_last_not_of(kBlanks);
  return last != std::string_view::npos && line[last] == '\\';
}

/// Behind `#include <` up to its bracket nothing is a comment.
bool names_a_header(const std::string& before) {
  const std::string_view text = trimmed(before);
  return !text.empty() && text.front() == '#' && trimmed(text.substr(1)) == "include";
}

}  // namespace

bool LineReader::next(LogicalLine& line) {
  if (rest_.empty()) return false;
  std::string joined;
  std::size_t used = 0;
  line.lines = 0;
  for (bool more = true; more;) {
    const std::size_t end = rest_.find('\n', used);
    std::string_view physical = rest_.substr(used, end == std::string_view::npos ? end : end - used);
    used += physical.size();
    ++line.lines;
    line.ends_in_text = end == std::string_view::npos;
    more = !line.ends_in_text && continued(physical);
    if (more) physical = physical.substr(0, physical.find_last_of('\\'));
    joined += physical;
    if (more) ++used;
  }
  line.raw = rest_.substr(0, used);
  rest_.remove_prefix(used + (line.ends_in_text ? 0 : 1));
  line.begins_in_comment = in_comment_;
  line.text = without_comments(joined);
  line.ends_in_comment = in_comment_;
  return true;
}

std::string LineReader::without_comments(std::string_view joined) {
  std::string text;
  char quote = 0;
  for (std::size_t i = 0; i < joined.size(); ++i) {
    const char c = joined[i];
    const char after = i + 1 < joined.size() ? joined[i + 1] : '\0';
    if (in_comment_) {
      if (c != '*' || after != '/') continue;
      in_comment_ = false;
      ++i;
      text += ' ';
    } else if (quote != 0) {
      text += c;
      if (c == '\\' && quote != '>' && after != '\0') {
        text += after;
        ++i;
      } else if (c == quote) {
        quote = 0;
      }
    } else if (c == '/' && after == '/') {
      break;
    } else if (c == '/' && after == '*') {
      in_comment_ = true;
      ++i;
    } else {
      if (c == '"' || c == '\'') quote = c;
      if (c == '<' && names_a_header(text)) quote = '>';
      text += c;
    }
  }
  return text;
}

Directive directive_of(const LogicalLine& line) {
  std::string_view text = trimmed(line.text);
  if (text.empty() || text.front() != '#') return {};
  text = trimmed(text.substr(1));
  std::size_t end = 0;
  while (end < text.size() && is_word(text[end])) ++end;
  return {text.substr(0, end), trimmed(text.substr(end))};
}

HeaderName header_name(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || (text.front() != '"' && text.front() != '<')) return {};
  const std::size_t end = text.find(text.front() == '"' ? '"' : '>', 1);
  if (end == std::string_view::npos) return {};
  return {text.substr(1, end - 1), text.front() == '"'};
}

}  // namespace skmd::icd
