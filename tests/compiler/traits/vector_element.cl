// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// A difference merge chooses by scalar: a float4 is 16 bytes of 4.
__kernel void k(__global const float4* a, __global float4* c) {
  c[get_global_id(0)] = a[get_global_id(0)];
  // CHECK: read arg 0 (a) [global_id(0)*16] 16 bytes of 4 surely
  // CHECK: write arg 1 (c) [global_id(0)*16] 16 bytes of 4 surely
}
