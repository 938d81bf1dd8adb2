// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* f, __global int* e, __global float4* v) {
  size_t i = get_global_id(0);
  float r = fract(1.5f, f + i);
  // CHECK: write arg 0 (f) [global_id(0)*4] 4 bytes surely
  r += sincos(r, f + i + 1);
  // CHECK: write arg 0 (f) [global_id(0)*4 + 4] 4 bytes surely
  r += modf(r, f + i + 2);
  // CHECK: write arg 0 (f) [global_id(0)*4 + 8] 4 bytes surely
  r += frexp(r, e + i);
  // CHECK: write arg 1 (e) [global_id(0)*4] 4 bytes surely
  r += remquo(r, 2.0f, e + i + 1);
  // CHECK: write arg 1 (e) [global_id(0)*4 + 4] 4 bytes surely
  r += lgamma_r(r, e + i + 2);
  // CHECK: write arg 1 (e) [global_id(0)*4 + 8] 4 bytes surely
  v[i] = fract((float4)(r), v + i + 1);
  // CHECK: write arg 2 (v) [global_id(0)*16 + 16] 16 bytes of 4 surely
}
