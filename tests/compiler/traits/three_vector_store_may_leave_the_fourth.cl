// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Clang stores 16 bytes of a float3; a vendor's compiler may store 12.
__kernel void k(__global const float3* a, __global float3* c) {
  c[get_global_id(0)] = a[get_global_id(0)];
  // CHECK: read arg 0 (a) [global_id(0)*16]
  // CHECK: write arg 1 (c) [global_id(0)*16] 16 bytes of 4 perhaps
}
