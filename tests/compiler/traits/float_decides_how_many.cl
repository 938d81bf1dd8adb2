// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// A fill pass: as many stores as floating point says, next to another item's.
__kernel void k(__global const int* starts, __global float* c, float x) {
  // CHECK: facts: float_decides_address memory_decides_address
  int at = starts[get_global_id(0)];
  while (x > 1.0f) {
    c[at++] = x;
    x *= 0.7f;
  }
}
