// SPDX-License-Identifier: Apache-2.0
// How skmd-run calls ssh for a host of `ssh:`, and what it reads from it. Values in, values out.
#pragma once

#include <string>
#include <vector>

namespace skmd::profiler {

struct SshPlace {
  std::string destination;  // [USER@]HOST
  std::string here, there;  // folders of sockets, absolute, without blanks, ':' and what a shell reads
};

/// Forwards the sockets in `place.here` to those in `place.there`, where it starts skmd-serve, which ends with the
/// command's standard input. `ssh`: the command in words that blanks separate; "": ssh.
std::vector<std::string> ssh_command(const std::string& ssh, const SshPlace& place);

/// Whether `line` is skmd-serve's that it serves in `folder`.
bool tells_serving(const std::string& line, const std::string& folder);

/// Why the command ended. `status`: as waitpid() has it; `last_line`: of its standard error.
std::string why_ssh_ended(int status, const std::string& last_line);

}  // namespace skmd::profiler
