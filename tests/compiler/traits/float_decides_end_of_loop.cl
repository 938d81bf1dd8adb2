// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// How far the loop came is used as an address afterwards.
__kernel void k(__global int* c, float x) {
  // CHECK: facts: float_decides_address
  int k = 0;
  while (x > 1.0f && k < 100) {
    x *= 0.7f;
    ++k;
  }
  c[k] = 1;
}
