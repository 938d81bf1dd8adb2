// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// OpenCL C forbids it, Clang does not: nothing is claimed.
int down(int n) { return n < 2 ? n : down(n - 1) + down(n - 2); }
__kernel void k(__global int* c) {
  // CHECK: facts: device_specific_code
  c[down(5)] = 1;
  // CHECK: write arg 0 (c) [anywhere]
}
