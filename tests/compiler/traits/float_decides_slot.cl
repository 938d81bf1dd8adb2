// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Compaction by one work-item: each comparison moves all later results.
__kernel void k(__global const float* a, __global float* c, int n) {
  // CHECK: facts: float_decides_address memory_decides_address
  int count = get_global_id(0) * n;
  for (int i = 0; i < n; ++i)
    if (a[i] > 0.5f) c[count++] = a[i];
}
