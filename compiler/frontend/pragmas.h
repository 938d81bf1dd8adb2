// SPDX-License-Identifier: Apache-2.0
// Pragmas in the one text: Clang's preprocessor leaves macros in pragmas to the pragma's handler; since the text has
// lost their definitions, they are expanded here.
#pragma once

#include <clang/Lex/Preprocessor.h>

#include <string>
#include <string_view>
#include <vector>

namespace skmd::compiler {

/// For one preprocessor, which it has to outlive.
class ExpandedPragmas {
 public:
  /// Before the preprocessor runs. It is to print its text: each pragma of those that take macros then has a line of
  /// its own there, which stands for it.
  void expand_in(clang::Preprocessor& preprocessor);

  /// The pragma that a line of the printed text stands for, or nullptr if it is none of ours.
  [[nodiscard]] const std::string* behind(std::string_view line) const;

 private:
  std::vector<std::string> texts_;
};

}  // namespace skmd::compiler
