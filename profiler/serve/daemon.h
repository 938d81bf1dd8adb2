// SPDX-License-Identifier: Apache-2.0
// Keeping a daemon alive until this process is told to end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "partitioner/base/result.h"
#include "profiler/serve/listen_address.h"

namespace skmd::profiler {

struct Daemon {
  std::vector<std::string> command;
  ListenAddress address;   // where it will accept
  bool until_eof = false;  // it is also ended when standard input ends
  /// How many devices a client gets; asked when it accepts.
  std::function<domain::Result<int>()> devices;
  std::function<void(int devices)> serving;
  std::function<void(const std::string& reason)> complain;
};

/// Whether the ports of `address`, which has no folder, are free on this host; the reason names the one that is not.
domain::Status can_listen(const ListenAddress& address);

/// Runs the daemon, calls `serving` when it accepts, and starts it again whenever it ends; until SIGTERM, SIGINT,
/// SIGHUP or SIGPIPE, or the end of standard input where that is asked for, which end it. Returns this process's exit
/// status: 0, or 1 where the daemon never came to serve or has no device. Blocks the calling thread, which must be the
/// only one; the daemon ends with this process, also where SIGKILL ends that.
int keep_alive(const Daemon& daemon);

}  // namespace skmd::profiler
