// SPDX-License-Identifier: Apache-2.0
// Signals that end a command, held back until it has cleaned up.
#pragma once

#include <signal.h>

namespace skmd::profiler {

/// Blocks SIGINT, SIGQUIT, SIGTERM and SIGHUP in the calling thread, those that are ignored left out. The destructor
/// unblocks them: one that came meanwhile then has its usual effect. To be made before what is to be cleaned up, and
/// destroyed by the same thread.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// The signal mask before, for programs that are started meanwhile.
  [[nodiscard]] const sigset_t& before() const { return before_; }
  /// A file that poll() finds readable while a signal is held back; -1: the system gives none.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Whether a signal is held back.
  [[nodiscard]] bool came() const;

 private:
  sigset_t held_{}, before_{};
  int descriptor_ = -1;
};

}  // namespace skmd::profiler
