// SPDX-License-Identifier: Apache-2.0
// Source to the one text that all devices share.
#pragma once

#include <string>
#include <vector>

#include "compiler/client/options.h"
#include "compiler/frontend/session.h"

namespace skmd::compiler {

struct Preprocessed {
  bool ok = false;
  bool started = false;               // false: Clang rejected our arguments, which is not an error of the program
  std::string text;                   // with line markers
  std::vector<std::string> includes;  // files from folders, not embedded headers: the cache watches them
  Diagnostics diagnostics;
};

/// Macros, headers and conditions are resolved for the virtual device; Clang's own headers are not used.
Preprocessed preprocess(const CompileRequest& request, const Options& options);

/// Line markers (`# 7 "file" 1`) out.
std::string without_line_markers(const std::string& text);

}  // namespace skmd::compiler
