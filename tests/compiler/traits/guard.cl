// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* c, int n, int m) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < n && y < m) c[y * n + x] = 1.0f;
  // CHECK: write arg 0 (c) {{.*}} if (n > (int)global_id(0)) and (m > (int)global_id(1)) surely
}
