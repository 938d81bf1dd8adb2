// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global const int* a, __global float* c) {
  // CHECK: facts:{{.*}} memory_decides_address
  // CHECK: merge: places known
  c[a[get_global_id(0)]] = 1.0f;
  // CHECK: write arg 1 (c) [(long)?*4] 4 bytes perhaps
}
