// SPDX-License-Identifier: Apache-2.0
// Where the cache is: the one rule for the driver and the commands.
#pragma once

#include <string>

namespace skmd::compiler {

/// SKMD_CACHE_DIR, else $XDG_CACHE_HOME/skmd, else ~/.cache/skmd; "" if none of them is set. `variable(name)`: an
/// environment variable's value as a std::string, "" if it is not set.
template <class Variable>
std::string cache_folder(const Variable& variable) {
  if (std::string folder = variable("SKMD_CACHE_DIR"); !folder.empty()) return folder;
  if (const std::string folder = variable("XDG_CACHE_HOME"); !folder.empty()) return folder + "/skmd";
  if (const std::string folder = variable("HOME"); !folder.empty()) return folder + "/.cache/skmd";
  return {};
}

}  // namespace skmd::compiler
