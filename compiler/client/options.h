// SPDX-License-Identifier: Apache-2.0
// Build options as the application gave them, split by us and never by a shell (OpenCL C 3.0, section 5.8.6).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partitioner/base/result.h"

namespace skmd::compiler {

/// One -D, -U or -I, in the order given: a later -D of a name wins.
struct PreprocessorOption {
  enum class Kind { define, undefine, include_folder };
  Kind kind = Kind::define;
  std::string text;  // NAME, NAME=VALUE, NAME(ARGS)=VALUE, or a folder
  bool operator==(const PreprocessorOption&) const = default;
};

struct Options {
  std::vector<PreprocessorOption> preprocessor;
  int version = 120;  // 100, 110, 120 or 300; 120 without -cl-std, as the highest 1.x of the device
  bool fast_relaxed_math = false;
  bool kernel_arg_info = false;
  bool no_warnings = false;  // -w
  bool warnings_are_errors = false;
  std::vector<std::string> code_generation;  // -cl-… switches that Clang understands as they are, for the analysis
  std::string vendor_options;                // what a vendor still has to be told once the text is preprocessed
};

/// Words of an option string. Blanks separate; double and single quotes group (-I"a b"); outside of quotes a
/// backslash takes a following quote, blank or backslash literally. A quote that never ends is an error.
domain::Result<std::vector<std::string>> split_words(std::string_view options);

/// The error's reason names the first option that is unknown or malformed.
domain::Result<Options> parse_options(std::string_view options);

}  // namespace skmd::compiler
