// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* c) {
  // CHECK: facts: barrier uses_float
  c[get_global_id(0)] = 1.0f;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  barrier(CLK_GLOBAL_MEM_FENCE);
  c[get_global_id(0) + 1] = 1.0f;
}
