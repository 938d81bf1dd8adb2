// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global const float* a, __global float* c, int n) {
  int i = get_global_id(0);
  c[i] = a[clamp(i - 1, 0, n - 1)];
  // CHECK: read arg 0 (a) [(long)min(max((int)global_id(0), 1), n)*4 - 4] 4 bytes surely
}
