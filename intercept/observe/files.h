// SPDX-License-Identifier: Apache-2.0
// Files written inside the application's process: nothing throws, descriptors are closed on exec.
#pragma once

#include <string>
#include <string_view>

namespace skmd::icd {

/// `%p` becomes the process id, in every place.
std::string with_process_id(std::string path);

/// Readers see the old file or the new one, never a part: a temporary in the same folder, then rename. False on
/// failure, with errno's text in `reason`.
bool replace_file(const std::string& path, std::string_view text, std::string& reason);

/// All of `text` at `offset`; false on failure.
bool write_at(int descriptor, std::string_view text, long offset);

}  // namespace skmd::icd
