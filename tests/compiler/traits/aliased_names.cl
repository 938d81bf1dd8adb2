// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// The same argument twice over: both accesses are there, in spite of restrict.
__kernel void k(__global float* restrict a, __global float* restrict b) {
  size_t i = get_global_id(0);
  a[i] = b[i] + a[i + 1];
  // CHECK: read arg 1 (b) [global_id(0)*4] 4 bytes surely
  // CHECK: read arg 0 (a) [global_id(0)*4 + 4] 4 bytes surely
  // CHECK: write arg 0 (a) [global_id(0)*4] 4 bytes surely
}
