// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global const float* a, __global float* c) {
  int i = get_global_id(0);
  c[i] = a[i - 1];
  // CHECK: read arg 0 (a) [(long)(int)global_id(0)*4 - 4] 4 bytes surely
}
