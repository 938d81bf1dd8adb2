// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Bytes, not elements; every work-item writes its own.
__kernel void k(__global const float* a, __global float* c) {
  size_t i = get_global_id(0);
  c[i + 3] = a[2 * i];
  // CHECK: read arg 0 (a) [global_id(0)*8] 4 bytes surely
  // CHECK: write arg 1 (c) [global_id(0)*4 + 12] 4 bytes surely
}
