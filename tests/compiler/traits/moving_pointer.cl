// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global const float* a, __global float* c, int n, int stride) {
  __global const float* p = a + get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k, p += stride) sum += *p;
  // CHECK: read arg 0 (a) [i0*(long)stride*4 + global_id(0)*4] 4 bytes in i0 if (n > 0) surely
  c[get_global_id(0)] = sum;
}
