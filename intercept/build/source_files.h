// SPDX-License-Identifier: Apache-2.0
// The files that a program's source names, read while the call that compiles it lasts.
#pragma once

#include <string>
#include <vector>

#include "compiler/client/client.h"

namespace skmd::icd {

/// Absolute; "" if the process has none.
std::string working_directory();

/// A source and its options without any need of a file.
struct FrozenSource {
  std::string text;
  std::string options;  // folders of -I are absolute
};

/// `folder`: the working directory when the application called. Reads files; what cannot be read stays an #include.
FrozenSource freeze_source(const std::string& source, const std::string& options,
                           const std::vector<compiler::Header>& headers, const std::string& folder);

}  // namespace skmd::icd
