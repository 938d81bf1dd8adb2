// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// An argument may be null; nothing of the address gets into memory.
__kernel void k(__global float* a, __global float* c) {
  // CHECK: facts: uses_float
  if (a != 0) c[get_global_id(0)] = a[0];
  // CHECK: read arg 0 (a) [0] 4 bytes perhaps
}
