// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* c, uint n) {
  size_t i = get_global_id(0);
  c[(i / n) * 64 + i % n] = 1.0f;
  // CHECK: write arg 0 (c) [global_id(0) /u (ulong)n*256 + global_id(0) %u (ulong)n*4] 4 bytes surely
}
