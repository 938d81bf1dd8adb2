// SPDX-License-Identifier: Apache-2.0
// Lists of texts as the exec() calls take them.
#pragma once

#include <string>
#include <vector>

namespace skmd::compiler {

/// Arguments or variables, with a null behind the last: valid as long as `texts` is. To be made in a child, or before
/// the fork.
inline std::vector<char*> exec_arguments(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

}  // namespace skmd::compiler
