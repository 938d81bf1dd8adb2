// SPDX-License-Identifier: Apache-2.0
// What skmd-compile says when it runs into a limit of its process or crashes. At that moment nothing can be computed or
// allocated, so every such answer is made beforehand.
#pragma once

#include <string>

namespace skmd::compiler {

struct Limits {
  unsigned long cpu_seconds = 0;   // 0: none
  unsigned long memory_bytes = 0;  // address space; 0: none
};

/// Those of this process.
Limits own_limits();

/// From here on, the end of processor time, of memory or of the stack, and any crash, writes an answer to `output` and
/// ends the process. Until use_last_words: a failed build whose log names the limit (a vendor's compiler,
/// inside the application's process, would fare no better), and none at all for a crash.
void prepare_last_words(int output, const Limits& limits);

/// `framed` is right for this program whatever comes: it is the last word from now on.
void use_last_words(const std::string& framed);

/// Before the real answer is written. False if the last word was said already: then the process is about to end.
bool take_the_floor();

/// Each thread that compiles calls this first: without a stack of their own, handlers cannot run when its stack ends.
void watch_this_stack();

}  // namespace skmd::compiler
