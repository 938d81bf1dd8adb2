// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global const float* a, __global float* c) {
  prefetch(a + get_global_id(0), 4);
  // CHECK-NOT: read
  c[get_global_id(0)] = 1.0f;
  // CHECK: write arg 1 (c)
}
