// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global const float* a, __global float* c, int n) {
  size_t i = get_global_id(0);
  float sum = 0;
  // CHECK: loop i0: 0 to (ulong)(n - 1)
  for (int k = 0; k < n; ++k) sum += a[i + 4 * k];
  // CHECK: read arg 0 (a) [global_id(0)*4 + (ulong)(i0*4)*4] 4 bytes in i0 if (n > 0) surely
  c[i] = sum;
  // CHECK: write arg 1 (c) [global_id(0)*4] 4 bytes surely
}
