// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// The inner count depends on the outer iteration.
__kernel void k(__global float* c, int n) {
  // CHECK: loop i0: 0 to (ulong)(n - 1)
  for (int i = 0; i < n; ++i)
    // CHECK: loop i1: 0 to (ulong)i0
    for (int j = 0; j <= i; ++j) c[i * n + j] = 1.0f;
  // CHECK: write arg 0 (c) {{.*}} in i0, i1 if (n > 0) surely
}
