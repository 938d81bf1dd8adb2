// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Components of a vector passed by value.
__kernel void k(__global float* c, int2 shift) {
  c[get_global_id(0) + shift.y] = 1.0f;
  // CHECK: write arg 0 (c) [global_id(0)*4 + (long)shift@4*4] 4 bytes surely
}
