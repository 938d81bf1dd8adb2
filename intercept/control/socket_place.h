// SPDX-License-Identifier: Apache-2.0
// The folder with the sockets of processes that can be controlled.
#pragma once

#include <string>

#include "partitioner/base/result.h"

namespace skmd::icd::control {

/// Makes the folder, of mode 0700, if it is not there. Error: it cannot be made, is no folder, belongs to another user,
/// or others may enter it.
domain::Status private_folder(const std::string& folder);

/// Removes sockets at which no process listens any more: it was killed.
void remove_stale(const std::string& folder);

/// A socket that listens at `path`, in place of one that a former process of the same number left. Returns its
/// descriptor, which programs that are executed do not inherit.
domain::Result<int> listen_at(const std::string& path);

}  // namespace skmd::icd::control
