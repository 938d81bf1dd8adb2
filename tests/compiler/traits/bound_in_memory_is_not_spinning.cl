// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// The bound does not change, as the kernel does not write it.
__kernel void k(__global const int* n, __global float* c) {
  // CHECK: facts: memory_decides_address uses_float
  for (int i = 0; i < *n; ++i) c[i] = 1.0f;
}
