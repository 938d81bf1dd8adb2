// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* a, int n) {
  __global float* p = n > 3 ? a + 10 : a + 20;
  p[get_global_id(0)] = 1.0f;
  // CHECK: write arg 0 (a) [{{.*}}n > 3 ? {{.*}}] 4 bytes surely
}
