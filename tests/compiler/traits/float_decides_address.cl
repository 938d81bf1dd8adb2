// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global const float* a, __global int* bins) {
  // CHECK: facts:{{.*}} float_decides_address memory_decides_address
  bins[(int)(a[get_global_id(0)] * 8.0f)] = 1;
}
