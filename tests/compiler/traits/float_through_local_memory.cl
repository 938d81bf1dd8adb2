// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global const float* a, __global float* c, __local int* flags) {
  // CHECK: facts: barrier local_memory float_decides_address memory_decides_address
  int l = get_local_id(0);
  flags[l] = a[get_global_id(0)] > 0.5f;
  barrier(CLK_LOCAL_MEM_FENCE);
  c[flags[0] + get_global_id(0)] = 1.0f;
}
