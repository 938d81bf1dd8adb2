// SPDX-License-Identifier: Apache-2.0
// Where skmd-ctl finds a process that can be controlled, and what both sides say there. Pure.
//
// A socket of the local machine, named by the process's number, in a folder that its user alone may enter. The process
// greets with a line of JSON ({"skmd_control":1,"pid":N}), is sent one line, the command and its arguments separated by
// tabs, answers with one line of JSON and closes: {"ok":true,…} or {"ok":false,"reason":…}, where a name was not known
// with "what", "name" and "names", all that are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "partitioner/base/result.h"

namespace skmd::settings {

/// Of the greeting.
inline constexpr int kControlVersion = 1;
/// Bytes of a command's line at most. Source: chosen: names of kernels are as long as the text wants, and a longer one
/// is a mistake.
inline constexpr std::size_t kLongestCommand = 65536;

/// The folder that SKMD_CONTROL=`value` names; none: launches cannot be controlled ("", "0"). `1`: skmd in
/// `runtime_folder`, XDG_RUNTIME_DIR, or skmd-UID in the folder of temporary files where that is "". Else an absolute
/// path.
domain::Result<std::optional<std::string>> control_folder(const std::string& value, const std::string& runtime_folder,
                                                          unsigned user);

/// The socket of a process. Error: the path is longer than sockets may have.
domain::Result<std::string> control_socket(const std::string& folder, long process);

/// Sends all of `text` to a connected socket. Blocks; false if the other end is gone or the socket's time limit is
/// over.
bool send_all(int socket, std::string_view text);

}  // namespace skmd::settings
