// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* c, __local float* l, int n) {
  // CHECK: facts: local_memory
  // CHECK: local: 64 bytes
  __local float own[16];
  float mine[4] = {1, 2, 3, 4};
  own[get_local_id(0)] = mine[n & 3];
  l[get_local_id(0)] = own[3];
  c[get_global_id(0)] = l[5];
  // CHECK-NOT: read
  // CHECK: write arg 0 (c)
  // CHECK-NOT: write
}
