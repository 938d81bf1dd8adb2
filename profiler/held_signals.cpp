// SPDX-License-Identifier: Apache-2.0
#include "profiler/held_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace skmd::profiler {

namespace {

constexpr int kEnding[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

}  // namespace

HeldSignals::HeldSignals() {
  sigemptyset(&held_);
  for (const int number : kEnding) {
    // The system keeps a blocked signal also where it is ignored (nohup), and would tell of it.
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&held_, number);
  }
  sigprocmask(SIG_BLOCK, &held_, &before_);
  descriptor_ = signalfd(-1, &held_, SFD_CLOEXEC | SFD_NONBLOCK);
}

HeldSignals::~HeldSignals() {
  if (descriptor_ >= 0) close(descriptor_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

bool HeldSignals::came() const {
  sigset_t waiting;
  sigpending(&waiting);
  for (const int number : kEnding)
    if (sigismember(&held_, number) == 1 && sigismember(&waiting, number) == 1) return true;
  return false;
}

}  // namespace skmd::profiler
