// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* a, __global ulong* c) {
  // CHECK: facts: pointer_in_memory
  c[get_global_id(0)] = (ulong)a;
}
