// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/link_options.h"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace skmd::icd {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// It changes what a text computes: units have to agree on it.
constexpr std::string_view kOtherConstants = "-cl-single-precision-constant";
// Set for all units if one has it: that one relies on it, and the others may be as exact.
constexpr std::string_view kMoreExact = "-cl-fp32-correctly-rounded-divide-sqrt";

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

Result<std::string> joined_options(const std::vector<Unit>& units) {
  std::vector<std::vector<std::string>> all;
  std::vector<std::string> seen;
  for (const Unit& unit : units) {
    all.push_back(words_of(unit.vendor_options));
    for (const std::string& word : all.back())
      if (std::find(seen.begin(), seen.end(), word) == seen.end()) seen.push_back(word);
  }
  std::string out;
  std::string standard;
  for (const std::string& word : seen) {
    const bool everywhere = std::all_of(all.begin(), all.end(), [&](const std::vector<std::string>& words) {
      return std::find(words.begin(), words.end(), word) != words.end();
    });
    if (!everywhere && word == kOtherConstants)
      return domain::Error{CL_LINK_PROGRAM_FAILURE, "some units were compiled with " + word + ", others without"};
    if (is_standard(word))
      standard = std::max(standard, word);
    else if (everywhere || word == kMoreExact)
      add_word(out, word);
  }
  if (!standard.empty()) add_word(out, standard);
  return out;
}

}  // namespace skmd::icd
