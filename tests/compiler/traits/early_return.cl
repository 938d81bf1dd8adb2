// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* c, uint n) {
  size_t i = get_global_id(0);
  if (i >= n) return;
  c[i] = 1.0f;
  // CHECK: write arg 0 (c) [global_id(0)*4] 4 bytes if (global_id(0) <u (ulong)n) surely
}
