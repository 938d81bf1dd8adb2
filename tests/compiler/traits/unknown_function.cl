// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Declared and never defined: it may touch every buffer.
void helper(int n);
__kernel void k(__global const float* a, __global float* c) {
  // CHECK: facts: device_specific_code
  helper(3);
  // CHECK-DAG: read arg 0 (a) [anywhere]
  // CHECK-DAG: write arg 0 (a) [anywhere]
  // CHECK-DAG: write arg 1 (c) [anywhere]
}
