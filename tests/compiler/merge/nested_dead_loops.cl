// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
__kernel void k(__global float* out, __global const float* a, int n, int m) {
  int i = get_global_id(0);
  float sum[4] = {0, 0, 0, 0};
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < m; ++x) sum[x & 3] += a[y * m + x];
  out[i * 3 % n] = sum[i & 3];
}
// CHECK: kernel k: merge function, loads from nothing
// CHECK-NOT: alloca
// CHECK-NOT: fadd
