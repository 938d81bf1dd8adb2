// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global int* flag, __global int* c) {
  // CHECK: facts: atomic_result_used spinning
  while (atomic_add(flag, 0) == 0) {
  }
  c[get_global_id(0)] = 1;
}
