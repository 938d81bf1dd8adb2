// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// What a private array gives back is not followed; that it came from memory is.
__kernel void k(__global const int* a, __global float* c, int n) {
  // CHECK: facts:{{.*}} memory_decides_address
  int order[8];
  for (int k = 0; k < 8; ++k) order[k] = a[k];
  c[order[n & 7]] = 1.0f;
  // CHECK: write arg 1 (c) [(long)?*4] 4 bytes perhaps
}
