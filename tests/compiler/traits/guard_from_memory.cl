// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// The write may or may not happen.
__kernel void k(__global const int* a, __global float* c) {
  // CHECK: facts:{{.*}} memory_decides_address
  size_t i = get_global_id(0);
  if (a[i] > 3) c[i] = 1.0f;
  // CHECK: write arg 1 (c) [global_id(0)*4] 4 bytes perhaps
}
