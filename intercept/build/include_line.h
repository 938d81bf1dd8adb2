// SPDX-License-Identifier: Apache-2.0
// Directives of a text that is not preprocessed: logical lines and comments, as C's translation phases have them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skmd::icd {

/// One logical line: physical ones that end in a backslash and the one behind them.
struct LogicalLine {
  std::string_view raw;       // with what joins the lines, without the last newline
  std::string text;           // joined, comments replaced by a blank each
  std::size_t lines = 1;      // physical ones
  bool ends_in_text = false;  // no newline behind it
  bool begins_in_comment = false;
  bool ends_in_comment = false;
};

/// Takes a text apart. Comments reach from line to line.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}
  /// False at the end of the text.
  bool next(LogicalLine& line);

 private:
  std::string without_comments(std::string_view joined);

  std::string_view rest_;
  bool in_comment_ = false;
};

/// `#name rest`: both empty if the line is no directive.
struct Directive {
  std::string_view name;
  std::string_view rest;  // without blanks around it
};
Directive directive_of(const LogicalLine& line);

/// What an #include or a macro's text names: `"name"` or `<name>`; empty otherwise.
struct HeaderName {
  std::string_view name;
  bool quoted = false;
};
HeaderName header_name(std::string_view text);

}  // namespace skmd::icd
