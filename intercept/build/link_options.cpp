// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/link_options.h"

#include <algorithm>
#include <sstream>

namespace skmd::icd {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

void add_word(std::string& text, const std::string& word) { text += (text.empty() ? "" : " ") + word; }

bool is_standard(const std::string& word) { return word.rfind("-cl-std=", 0) == 0; }

}  // namespace

Result<LinkOptions> parse_link_options(const std::string& options) {
  constexpr const char* kMathematical[] = {"-cl-denorms-are-zero",          "-cl-no-signed-zeros",
                                           "-cl-unsafe-math-optimizations", "-cl-finite-math-only",
                                           "-cl-fast-relaxed-math",         "-cl-no-subgroup-ifp"};
  LinkOptions out;
  bool enable = false;
  for (const std::string& word : words_of(options)) {
    if (word == "-create-library") {
      out.library = true;
    } else if (word == "-enable-link-options") {
      enable = true;
    } else if (std::find(std::begin(kMathematical), std::end(kMathematical), word) != std::end(kMathematical)) {
      add_word(out.vendor_options, word);
    } else {
      return domain::Error{CL_INVALID_LINKER_OPTIONS, "link option '" + word + "' is unknown"};
    }
  }
  if (enable && !out.library)
    return domain::Error{CL_INVALID_LINKER_OPTIONS, "-enable-link-options without -create-library"};
  return out;
}

std::string common_options(const std::vector<Unit>& units) {
  std::string out;
  std::string standard;
  if (units.empty()) return out;
  for (const std::string& word : words_of(units.front().vendor_options)) {
    const bool everywhere = std::all_of(units.begin(), units.end(), [&](const Unit& unit) {
      const auto words = words_of(unit.vendor_options);
      return std::find(words.begin(), words.end(), word) != words.end();
    });
    if (everywhere && !is_standard(word)) add_word(out, word);
  }
  for (const Unit& unit : units)
    for (const std::string& word : words_of(unit.vendor_options))
      if (is_standard(word)) standard = std::max(standard, word);
  if (!standard.empty()) add_word(out, standard);
  return out;
}

}  // namespace skmd::icd
