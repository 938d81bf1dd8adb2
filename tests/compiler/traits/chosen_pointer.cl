// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// One base or the other: an access each, neither sure.
__kernel void k(__global float* a, __global float* b, int n) {
  __global float* p = n > 3 ? a : b + 1;
  p[get_global_id(0)] = 1.0f;
  // CHECK: write arg 0 (a) [global_id(0)*4] 4 bytes perhaps
  // CHECK: write arg 1 (b) [global_id(0)*4 + 4] 4 bytes perhaps
}
