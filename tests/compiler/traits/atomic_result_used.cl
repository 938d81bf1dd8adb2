// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global int* count, __global float* out) {
  // CHECK: facts: atomic_result_used global_atomics memory_decides_address
  out[atomic_inc(count)] = 1.0f;
  // CHECK: atomic add (result used) arg 0 (count) [0] 4 bytes surely
}
