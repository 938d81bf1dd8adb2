// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "compiler/client/client.h"

namespace skmd::icd {

/// `source` with each #include of an embedded header replaced by its text, nested ones too: vendors have no embedded
/// headers in a plain build. Names match exactly; other includes stay. A header that includes itself is cut at 64
/// levels.
std::string paste_headers(const std::string& source, const std::vector<compiler::Header>& headers);

}  // namespace skmd::icd
