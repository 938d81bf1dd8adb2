// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* a, __global float* b, ulong key) {
  // CHECK: facts:{{.*}} pointer_in_memory
  *(__global float*)((ulong)a ^ key) = 1.0f;
  // CHECK: write arg 0 (a) [anywhere] 4 bytes perhaps
  // CHECK: write arg 1 (b) [anywhere] 4 bytes perhaps
}
