// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// A float added by compare and exchange: waits for memory, and does not commute.
__kernel void k(__global uint* c) {
  // CHECK: facts: atomic_result_used spinning global_atomics
  uint old, seen = c[0];
  do {
    old = seen;
    seen = atomic_cmpxchg(c, old, as_uint(as_float(old) + 1.0f));
    // CHECK: atomic other (result used) arg 0 (c) [0] 4 bytes
  } while (seen != old);
}
