// SPDX-License-Identifier: Apache-2.0
// Hosts of `ssh:`, reached for as long as an application runs.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "profiler/settings/host_list.h"

namespace skmd::profiler {

/// A process of its own keeps the connections and their folder. It ends when this object does or, however that comes,
/// this process; then all that it has made here and there is gone, there as soon as the sshd there knows of the end.
class SshHosts {
 public:
  SshHosts() = default;
  /// Blocks until all is gone, a few seconds at most.
  ~SshHosts();
  SshHosts(const SshHosts&) = delete;
  SshHosts& operator=(const SshHosts&) = delete;

  /// Starts skmd-serve on each of `hosts` that was not tried yet, on all at once, and notes where it is reached. What
  /// is away is told on standard error and left without a server. `ssh`: the command, as ssh_command() takes it.
  /// Blocks until each serves or has failed, for kSshServing at most, or until `interrupt`, a file (-1: none), is
  /// readable. One thread: it forks. Once for each object. An error: no process can be started, or `interrupt`.
  domain::Status reach(std::vector<settings::Host>& hosts, const std::string& ssh, int interrupt = -1);

 private:
  pid_t keeper_ = 0;   // 0: none
  int lifeline_ = -1;  // the keeper ends when this is closed
};

}  // namespace skmd::profiler
