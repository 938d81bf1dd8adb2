// SPDX-License-Identifier: Apache-2.0
// The crash report: the answer of skmd-compile when it reaches a limit of its process or crashes. At that moment
// nothing can be computed or allocated, so every such answer is made beforehand.
#pragma once

#include <string>

namespace skmd::compiler {

struct Limits {
  unsigned long cpu_seconds = 0;   // 0: none
  unsigned long memory_bytes = 0;  // address space; 0: none
};

/// The limits of this process.
Limits own_limits();

/// From here on, the end of processor time, of memory or of the stack, and any crash, writes an answer to `output` and
/// ends the process. Until use_crash_report: a failed build whose log names the limit (a vendor's compiler,
/// inside the application's process, would fare no better), and none at all for a crash.
void prepare_crash_report(int output, const Limits& limits);

/// `framed` is a valid answer for this program after any later failure: from now on it is the crash report. Throws only
/// std::bad_alloc.
void use_crash_report(const std::string& framed);

/// To be called before the real answer is written. False if the crash report was written already: then the process is
/// about to end.
bool claim_output();

/// To be called first by each thread that compiles: signal handlers need an alternate stack when the thread's own stack
/// overflows.
void watch_this_stack();

}  // namespace skmd::compiler
