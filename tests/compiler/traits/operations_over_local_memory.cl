// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// No access to a buffer in the loop, and as many passes as a group has work-items.
__kernel void k(__global float* c, __local float* tile) {
  // CHECK: facts: barrier local_memory uses_float{{$}}
  // CHECK: loop i0: 0 to local_size(0) - 1{{$}}
  const size_t l = get_local_id(0);
  tile[l] = c[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (size_t k = 0; k < get_local_size(0); ++k) sum += tile[k];
  c[get_global_id(0)] = sum;
  // CHECK: operations: 7{{$}}
  // CHECK-NEXT: operations: 5 in i0 if not (local_size(0) == 0)
}
