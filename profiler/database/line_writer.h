// SPDX-License-Identifier: Apache-2.0
// A line of JSON, written without building a document first: a launch is timed on the application's thread.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace skmd::profiler {

/// An object of one line. The text is what nlohmann::json's dump() gives where fields are added in the order of their
/// names. Throws std::bad_alloc.
class LineWriter {
 public:
  void add(std::string_view name, std::string_view value);
  void add(std::string_view name, double value);
  void add(std::string_view name, bool value) { begin(name) += value ? "true" : "false"; }
  template <std::integral Number>
  void add(std::string_view name, Number value) {
    append(begin(name), value);
  }
  template <std::integral Number, std::size_t size>
  void add(std::string_view name, const std::array<Number, size>& values) {
    add_list(name, values, [](std::string& text, Number value) { append(text, value); });
  }
  /// A list of pairs: each entry's index and another member.
  template <class Entries, class Member>
  void add_pairs(std::string_view name, const Entries& entries, Member member) {
    add_list(name, entries, [member](std::string& text, const auto& entry) {
      text += '[';
      append(text, entry.index);
      text += ',';
      append(text, entry.*member);
      text += ']';
    });
  }
  /// The line, without a line break. To be called once, at the end.
  std::string take() {
    text_ += text_.empty() ? "{}" : "}";
    return std::move(text_);
  }

 private:
  template <std::integral Number>
  static void append(std::string& text, Number value) {
    std::array<char, 24> digits;
    text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  }
  template <class Entries, class Append>
  void add_list(std::string_view name, const Entries& entries, Append append_one) {
    std::string& text = begin(name);
    char before = '[';
    for (const auto& entry : entries) {
      text += before;
      append_one(text, entry);
      before = ',';
    }
    text += before == '[' ? "[]" : "]";
  }
  /// Ends in front of the field's value.
  std::string& begin(std::string_view name);
  std::string text_;
};

}  // namespace skmd::profiler
