// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
static float get(__global const float* p, int i) { return p[i]; }
__attribute__((noinline)) void put(__global float* p, size_t i, float v) { p[i] = v; }
__kernel void k(__global const float* a, __global float* c) {
  put(c, get_global_id(0), get(a, 7));
  // CHECK: read arg 0 (a) [28] 4 bytes surely
  // CHECK: write arg 1 (c) [global_id(0)*4] 4 bytes surely
}
