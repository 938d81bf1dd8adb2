// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global int* c, __local int* l) {
  // CHECK: facts: local_memory{{$}}
  int at = atomic_inc(l);
  c[get_global_id(0)] = at;
  // CHECK-NOT: atomic
}
