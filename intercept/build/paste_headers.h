// SPDX-License-Identifier: Apache-2.0
// A source that needs no file: what a program was made from is what the files held then.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/client/client.h"

namespace skmd::icd {

/// Where an #include looks. Headers handed in come before folders.
struct HeaderPlaces {
  std::vector<compiler::Header> headers;  // by exactly their name
  std::vector<std::string> folders;       // of -I, then the working directory; absolute
  std::vector<std::string> macros;        // of -D, NAME=VALUE: an #include may name one
  /// The text of the file of an absolute path; nothing if it is none that can be read.
  std::function<std::optional<std::string>(const std::string& path)> read;
};

/// `source` with each #include replaced by what it includes, in includes as well. Also inside conditions, none of which
/// is evaluated: the compiler of the text may define other macros. Macros and conditions stay, `#line` tells files and
/// lines, and a file with `#pragma once` is guarded by a macro, so that it is compiled once. An include of what is not
/// found stays as it is, as does one of a macro with arguments or of several meanings; a file in itself is cut at 64
/// levels, a text at 16 MiB.
std::string paste_headers(const std::string& source, const HeaderPlaces& places);

}  // namespace skmd::icd
