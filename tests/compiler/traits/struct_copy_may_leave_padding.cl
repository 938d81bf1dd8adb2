// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
typedef struct { char a; int b[5]; } S;
__kernel void k(__global const S* a, __global S* c) {
  c[get_global_id(0)] = a[get_global_id(0)];
  // CHECK: read arg 0 (a) [global_id(0)*24] 24 bytes of 4 surely
  // CHECK: write arg 1 (c) [global_id(0)*24] 24 bytes of 4 perhaps
}
