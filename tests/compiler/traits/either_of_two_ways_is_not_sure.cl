// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Two cases lead to one store: no single chain of guards says when it runs.
__kernel void k(__global float* a, int n, int m) {
  if (n == 1) goto store;
  if (m != 2) return;
  a[7] = 2.0f;
store:
  a[get_global_id(0)] = 1.0f;
  // CHECK: write arg 0 (a) [global_id(0)*4] 4 bytes perhaps
}
