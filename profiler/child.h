// SPDX-License-Identifier: Apache-2.0
// Running the application as a child that behaves as if it had been started directly.
#pragma once

#include <signal.h>

#include <string>
#include <vector>

namespace skmd::profiler {

struct ChildResult {
  int status = 0;       // exit status, or 128 + signal
  std::string failure;  // set if the program could not be started; status is then 126 or 127, as shells have it
};

/// Starts `command` (found along PATH) with the present environment and waits for it. Signals sent to this process are
/// passed on to the child; those of the terminal reach it directly; SIGKILL, or the end of the calling thread, kills
/// it. Blocks until the child ends. `mask`: the child's signal mask; null: that of the calling thread.
ChildResult run_child(const std::vector<std::string>& command, const sigset_t* mask = nullptr);

}  // namespace skmd::profiler
