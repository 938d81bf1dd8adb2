// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// What an induction ends with is known if the count is; what a search ends with is not.
__kernel void k(__global const int* a, __global float* c, uint n) {
  uint k = 0;
  for (; k < n; ++k) c[k] = 1.0f;
  c[k + 5] = 2.0f;
  // CHECK: write arg 1 (c) [(ulong)((n == 0 ? 0 : n) + 5)*4] 4 bytes surely
  while (a[k] != 0) ++k;
  c[k] = 3.0f;
  // CHECK: write arg 1 (c) [(ulong)?*4] 4 bytes perhaps
}
