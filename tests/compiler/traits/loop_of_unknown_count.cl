// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global const int* a, __global int* c) {
  // CHECK: loop i0: 0 to any
  for (int k = 0; a[k] != 0; ++k) c[k] = a[k];
  // CHECK: write arg 1 (c) [i0*4] 4 bytes in i0 perhaps
}
