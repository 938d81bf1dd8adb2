// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --opencl-c %s | %FileCheck %s
// A vector that was made before memory changes is not made again behind that.

// CHECK: [[WHOLE:v[0-9]+]] = {{.*}}(float4)(
// CHECK: barrier(
// CHECK: [[WHOLE]].s00
// CHECK: [[WHOLE]].s01
__kernel void kept(__global float* p, __global float2* q) {
  float4 w = (float4)(p[0], 1, 2, 3);
  p[0] = 5;
  barrier(CLK_GLOBAL_MEM_FENCE);
  q[2] = w.xx;
  q[3] = w.xy;
}

// CHECK: kernel void truths(
// CHECK-NOT: (-convert_float4
// CHECK: convert_float4(-
__kernel void truths(__global float4* a, __global float4* out) {
  out[0] = __builtin_convertvector((a[0] < a[1]) & 1, float4);
}
