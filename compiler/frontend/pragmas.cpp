// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/pragmas.h"

#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/TokenConcatenation.h>

#include <charconv>
#include <string_view>

#include "compiler/frontend/integer_constant.h"

namespace skmd::compiler {
namespace {

/// Whether the pragma's value, or those in its options' parentheses, are counts.
enum class Counts : std::uint8_t { none, whole, in_options };

struct Known {
  const char* folder;  // "#pragma folder name"; "" without
  const char* name;
  Counts counts;
};

// The pragmas of Clang 14 to 22 whose handlers replace macros. The others of OpenCL C do not: `OPENCL EXTENSION`, whose
// names are macros, `OPENCL FP_CONTRACT` and all of `STDC`.
constexpr Known kKnown[] = {
    {"", "unroll", Counts::whole},          {"", "nounroll", Counts::none},   {"", "unroll_and_jam", Counts::whole},
    {"", "nounroll_and_jam", Counts::none}, {"GCC", "unroll", Counts::whole}, {"GCC", "nounroll", Counts::none},
    {"clang", "loop", Counts::in_options},  {"clang", "fp", Counts::none},    {"clang", "optimize", Counts::none},
    {"clang", "attribute", Counts::none},   {"", "pack", Counts::none},       {"", "ms_struct", Counts::none},
    {"", "float_control", Counts::none},    {"", "unused", Counts::none},     {"", "weak", Counts::none},
};

// What stands for a pragma. Callbacks are all that reaches the printer, and an identifier is all that a program can say
// here: it has no blank.
constexpr std::string_view kStandIn = "#pragma clang __debug ";
constexpr std::string_view kNumber = "expanded pragma ";

std::vector<clang::Token> rest_of_line(clang::Preprocessor& preprocessor) {
  std::vector<clang::Token> tokens;
  clang::Token token;
  for (preprocessor.LexUnexpandedToken(token); token.isNot(clang::tok::eod) && token.isNot(clang::tok::eof);
       preprocessor.LexUnexpandedToken(token))
    tokens.push_back(token);
  return tokens;
}

/// A macro with arguments does not look for them beyond the line.
bool balanced(const std::vector<clang::Token>& tokens) {
  int depth = 0;
  for (const clang::Token& token : tokens) {
    if (token.is(clang::tok::l_paren)) ++depth;
    if (token.is(clang::tok::r_paren) && --depth < 0) return false;
  }
  return depth == 0;
}

std::vector<clang::Token> expanded(clang::Preprocessor& preprocessor, std::vector<clang::Token> tokens) {
  if (tokens.empty() || !balanced(tokens)) return tokens;
  clang::Token end;
  end.startToken();
  end.setKind(clang::tok::eod);
  end.setLocation(tokens.back().getLocation());
  tokens.push_back(end);
  preprocessor.EnterTokenStream(tokens, /*DisableMacroExpansion=*/false, /*IsReinject=*/false);
  std::vector<clang::Token> out;
  for (preprocessor.Lex(end); end.isNot(clang::tok::eod) && end.isNot(clang::tok::eof); preprocessor.Lex(end))
    out.push_back(end);
  return out;
}

struct Word {
  std::string text;
  bool apart = false;  // from the word before
};

std::vector<Word> words_of(const clang::Preprocessor& preprocessor, const std::vector<clang::Token>& tokens) {
  const clang::TokenConcatenation concatenation(preprocessor);
  std::vector<Word> words;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    clang::Token none;
    none.startToken();
    const bool apart = (i == 0 && tokens[i].isNot(clang::tok::l_paren)) || tokens[i].hasLeadingSpace() ||
                       tokens[i].isAtStartOfLine() ||
                       concatenation.AvoidConcat(i < 2 ? none : tokens[i - 2], tokens[i - 1], tokens[i]);
    words.push_back({preprocessor.getSpelling(tokens[i]), apart});
  }
  return words;
}

/// [begin, end) becomes its value, if it has one that a count may have: compilers take literals, and some nothing else.
void evaluate(std::vector<Word>& words, std::size_t begin, std::size_t end) {
  std::vector<std::string> tokens;
  for (std::size_t i = begin; i < end; ++i) tokens.push_back(words[i].text);
  const auto value = integer_constant(tokens);
  if (!value || *value < 0) return;
  words[begin].text = std::to_string(*value);
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(begin) + 1, words.begin() + static_cast<std::ptrdiff_t>(end));
}

/// name(value) name(value, word) …
void evaluate_options(std::vector<Word>& words) {
  for (std::size_t open = 0; open < words.size(); ++open) {
    if (words[open].text != "(") continue;
    int depth = 1;
    std::size_t end = open + 1;
    for (; end < words.size(); ++end) {
      const std::string& text = words[end].text;
      if (text == "(") ++depth;
      if ((text == ")" && --depth == 0) || (text == "," && depth == 1)) break;
    }
    const std::size_t left = words.size() - end;
    if (end > open + 1) evaluate(words, open + 1, end);
    // Behind the option, whose length may be another now.
    open = words.size() - left;
    while (open < words.size() && depth > 0) {
      if (words[open].text == "(") ++depth;
      if (words[open].text == ")") --depth;
      ++open;
    }
    --open;
  }
}

/// "#pragma folder name words".
std::string line_of(const Known& known, const std::vector<Word>& words) {
  std::string text = "#pragma ";
  if (*known.folder != '\0') text += std::string(known.folder) + ' ';
  text += known.name;
  for (const Word& word : words) text += (word.apart ? " " : "") + word.text;
  return text;
}

class Handler : public clang::PragmaHandler {
 public:
  Handler(const Known& known, std::vector<std::string>& texts)
      : PragmaHandler(known.name), known_(known), texts_(texts) {}

  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer, clang::Token& first) override {
    const clang::SourceLocation place = first.getLocation();
    std::vector<Word> words = words_of(preprocessor, expanded(preprocessor, rest_of_line(preprocessor)));
    if (known_.counts == Counts::whole && !words.empty()) evaluate(words, 0, words.size());
    if (known_.counts == Counts::in_options) evaluate_options(words);
    texts_.push_back(line_of(known_, words));
    if (clang::PPCallbacks* callbacks = preprocessor.getPPCallbacks())
      callbacks->PragmaDebug(place, std::string(kNumber) + std::to_string(texts_.size() - 1));
  }

 private:
  const Known& known_;
  std::vector<std::string>& texts_;
};

}  // namespace

void ExpandedPragmas::expand_in(clang::Preprocessor& preprocessor) {
  // The preprocessor owns its handlers.
  for (const Known& known : kKnown) preprocessor.AddPragmaHandler(known.folder, new Handler(known, texts_));
}

const std::string* ExpandedPragmas::behind(std::string_view line) const {
  if (!line.starts_with(kStandIn) || !line.substr(kStandIn.size()).starts_with(kNumber)) return nullptr;
  line.remove_prefix(kStandIn.size() + kNumber.size());
  std::size_t number = 0;
  std::from_chars(line.data(), line.data() + line.size(), number);
  return number < texts_.size() ? &texts_[number] : nullptr;
}

}  // namespace skmd::compiler
