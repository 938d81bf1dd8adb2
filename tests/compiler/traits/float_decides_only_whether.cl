// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Whether, not where.
__kernel void k(__global const float* a, __global float* c) {
  // CHECK: facts: memory_decides_address uses_float
  size_t i = get_global_id(0);
  if (a[i] > 0.0f) c[i] = a[i];
}
