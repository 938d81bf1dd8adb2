// SPDX-License-Identifier: Apache-2.0
// The process that keeps ssh's connections.
#pragma once

#include <string>
#include <vector>

namespace skmd::profiler {

struct SshKeeping {
  std::vector<std::string> names;  // hosts, as settings::Host has them
  std::string ssh;                 // as ssh_command() takes it
  int lifeline = -1;               // a pipe; at its end all is ended
  /// A pipe for a line for each name, in their order: unix:FOLDER, or nothing where the host is away. It is closed when
  /// all are told.
  int answer = -1;
};

/// Becomes that process: leaves the terminal, so that its keys reach the application alone, and ends when all is done.
/// To be called in a new process with one thread.
[[noreturn]] void keep_ssh(const SshKeeping& keeping);

}  // namespace skmd::profiler
