// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// A break on memory: the count is a bound only, and nothing in the loop is sure.
__kernel void k(__global const int* a, __global float* c, int n) {
  // CHECK: loop i0: 0 to {{.*}} at most
  for (int k = 0; k < n; ++k) {
    if (a[k] == 0) break;
    // CHECK: read arg 0 (a) [(ulong)i0*4] 4 bytes in i0 if (n > 0) perhaps
    c[k] = 1.0f;
    // CHECK: write arg 1 (c) [(ulong)i0*4] 4 bytes in i0 if (n > 0) perhaps
  }
}
