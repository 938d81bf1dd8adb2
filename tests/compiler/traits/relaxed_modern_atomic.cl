// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s -cl-std=CL3.0 -D__opencl_c_atomic_scope_device=1 | %FileCheck %s
// Relaxed, at any scope: of its class, and no sign of talk between work-groups.
__kernel void k(__global atomic_int* c, __global atomic_uint* d) {
  // CHECK: facts: global_atomics{{$}}
  atomic_fetch_add_explicit(c, 1, memory_order_relaxed, memory_scope_device);
  // CHECK: atomic add arg 0 (c) [0] 4 bytes surely
  atomic_fetch_max_explicit(d, 7u, memory_order_relaxed, memory_scope_work_group);
  // CHECK: atomic umax arg 1 (d) [0] 4 bytes surely
}
