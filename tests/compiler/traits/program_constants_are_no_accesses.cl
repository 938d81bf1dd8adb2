// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__constant int table[4] = {3, 1, 2, 0};
__kernel void k(__global int* c, int n) {
  c[get_global_id(0)] = table[n & 3];
  // CHECK-NOT: read
  // CHECK: write arg 0 (c) [global_id(0)*4] 4 bytes surely
}
