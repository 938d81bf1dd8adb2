// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* c, uint n) {
  uint i = get_global_id(0);
  c[i - n] = 1.0f;
  // CHECK: write arg 0 (c) [(ulong)((int)global_id(0) - n)*4] 4 bytes surely
}
