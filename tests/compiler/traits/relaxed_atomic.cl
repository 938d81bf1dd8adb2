// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Result unused, one class each: partial values can be combined.
__kernel void k(__global int* c, __global uint* d) {
  // CHECK: facts: global_atomics{{$}}
  // CHECK: merge: atomics of commuting classes
  atomic_inc(c);
  // CHECK: atomic add arg 0 (c) [0] 4 bytes surely
  atomic_max(d + get_global_id(0), 5u);
  // CHECK: atomic umax arg 1 (d) [global_id(0)*4] 4 bytes surely
  atomic_min(c + 1, -3);
  // CHECK: atomic min arg 0 (c) [4] 4 bytes surely
}
