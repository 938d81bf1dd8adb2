// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Unknown, but not beyond the mask.
__kernel void k(__global const uint* a, __global float* c) {
  // CHECK: facts:{{.*}} memory_decides_address
  c[a[get_global_id(0)] & 127] = 1.0f;
  // CHECK: write arg 1 (c) [(ulong)(? & 127)*4] 4 bytes perhaps
}
