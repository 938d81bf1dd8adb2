// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// An atomic whose result is not used is no store; what one returns decides nothing that can be decided again.
__kernel void unused(__global uint* out, __global uint* count, uint n) {
  uint i = get_global_id(0);
  atomic_inc(count);
  out[i * 3 % n] = i;
}
// CHECK: kernel unused: merge function, loads from nothing
__kernel void used(__global uint* out, __global uint* count) { out[atomic_inc(count)] = 1; }
// CHECK: kernel used: no merge function: it is never split
__kernel void local_result(__global uint* out, uint n) {
  __local uint c;
  c = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_group_id(0) * 64 + atomic_inc(&c)] = n;
}
// CHECK: kernel local_result: no merge function: local memory decides where it stores
// CHECK: define void @skmd_merge_unused
// CHECK-NOT: atomic
