// SPDX-License-Identifier: Apache-2.0
#include "profiler/slurm_nodes.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "profiler/settings/host_list.h"

namespace skmd::profiler {

namespace {

using domain::Error;
using domain::Result;

/// What a std::uint64_t holds in any case, with room for one more.
constexpr std::size_t kMaxDigits = 18;

struct Range {
  std::uint64_t first = 0, last = 0;
  std::size_t width = 0;  // digits at least
};

/// Either a text, or the numbers of one pair of brackets.
struct Part {
  std::string text;
  std::vector<Range> ranges;
};

/// A list, and how far it has been read.
struct Reader {
  const std::string& variable;
  const std::string& text;
  std::size_t at = 0;

  [[nodiscard]] bool ended() const { return at == text.size(); }
  [[nodiscard]] bool is(char c) const { return !ended() && text[at] == c; }
  [[nodiscard]] Error wrong(std::size_t where, const std::string& why) const {
    return {0, variable + ": '" + text + "' is wrong at character " + std::to_string(where + 1) + ": " + why};
  }
};

Result<std::uint64_t> read_number(Reader& reader) {
  const std::size_t begin = reader.at;
  while (!reader.ended() && reader.text[reader.at] >= '0' && reader.text[reader.at] <= '9') ++reader.at;
  const std::size_t digits = reader.at - begin;
  if (digits == 0) return reader.wrong(begin, "expected a number");
  if (digits > kMaxDigits)
    return reader.wrong(begin, "the number has more than " + std::to_string(kMaxDigits) + " digits");
  std::uint64_t number = 0;
  std::from_chars(reader.text.data() + begin, reader.text.data() + reader.at, number);
  return number;
}

/// A number, or two with a '-' between them.
Result<Range> read_range(Reader& reader) {
  const std::size_t begin = reader.at;
  const auto first = read_number(reader);
  if (!first) return first.error();
  Range range{.first = *first, .last = *first, .width = reader.at - begin};
  if (!reader.is('-')) return range;
  ++reader.at;
  const auto last = read_number(reader);
  if (!last) return last.error();
  range.last = *last;
  if (range.last < range.first) return reader.wrong(begin, "the range ends before it begins");
  return range;
}

/// From '[' to ']'.
Result<Part> read_brackets(Reader& reader) {
  const std::size_t begin = reader.at;
  Part part;
  do {
    ++reader.at;  // '[' or ','
    const auto range = read_range(reader);
    if (!range) return range.error();
    part.ranges.push_back(*range);
  } while (reader.is(','));
  if (reader.ended()) return reader.wrong(begin, "the bracket is not closed");
  if (!reader.is(']')) return reader.wrong(reader.at, "expected '-', ',' or ']' behind a number");
  ++reader.at;
  return part;
}

/// One name, up to a comma or the end.
Result<std::vector<Part>> read_name(Reader& reader) {
  const std::size_t begin = reader.at;
  std::vector<Part> parts;
  std::size_t length = 0;  // of the longest that it stands for, or more
  while (!reader.ended() && !reader.is(',')) {
    if (reader.is('[')) {
      auto part = read_brackets(reader);
      if (!part) return part.error();
      std::size_t longest = 0;
      for (const Range& range : part->ranges)
        longest = std::max({longest, range.width, std::to_string(range.last).size()});
      length += longest;
      parts.push_back(std::move(*part));
    } else if (settings::in_host_name(reader.text[reader.at])) {
      if (parts.empty() || !parts.back().ranges.empty()) parts.emplace_back();
      parts.back().text += reader.text[reader.at++];
      ++length;
    } else {
      return reader.wrong(reader.at, "expected a letter, a digit, '.', '-', '_' or '['");
    }
    if (length > settings::kLongestHost)
      return reader.wrong(begin, "the name has more than " + std::to_string(settings::kLongestHost) + " characters");
  }
  if (parts.empty()) return reader.wrong(begin, "expected a node's name");
  return parts;
}

/// How many names there are; `most` + 1 where it is more.
std::size_t count_of(const std::vector<Part>& parts, std::size_t most) {
  std::uint64_t count = 1;
  for (const Part& part : parts) {
    std::uint64_t numbers = part.ranges.empty() ? 1 : 0;
    for (const Range& range : part.ranges)
      numbers = std::min<std::uint64_t>(numbers + range.last - range.first + 1, most + 1);
    count = std::min<std::uint64_t>(count * numbers, most + 1);
  }
  return count;
}

std::vector<std::string> texts_of(const Part& part) {
  if (part.ranges.empty()) return {part.text};
  std::vector<std::string> texts;
  for (const Range& range : part.ranges)
    for (std::uint64_t number = range.first; number <= range.last; ++number) {
      const std::string digits = std::to_string(number);
      texts.push_back(std::string(range.width - std::min(range.width, digits.size()), '0') + digits);
    }
  return texts;
}

/// Precondition: count_of() says that they are few.
std::vector<std::string> names_of(const std::vector<Part>& parts) {
  std::vector<std::string> names = {""};
  for (const Part& part : parts) {
    const std::vector<std::string> texts = texts_of(part);
    std::vector<std::string> longer;
    for (const std::string& name : names)
      for (const std::string& text : texts) longer.push_back(name + text);
    names = std::move(longer);
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> slurm_nodes(const std::string& variable, const std::string& text, std::size_t most) {
  Reader reader{variable, text};
  std::vector<std::string> nodes;
  for (;; ++reader.at) {  // behind a comma
    const std::size_t begin = reader.at;
    const auto parts = read_name(reader);
    if (!parts) return parts.error();
    if (nodes.size() + count_of(*parts, most) > most)
      return reader.wrong(begin, "there are more than " + std::to_string(most) + " nodes");
    for (std::string& name : names_of(*parts)) nodes.push_back(std::move(name));
    if (reader.ended()) return nodes;
  }
}

}  // namespace skmd::profiler
