// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Nothing that follows runs; nothing in it is sure.
__kernel void k(__global float* c, int n) {
  if (n == 3) {
    // CHECK: write arg 0 (c) [4] 4 bytes {{.*}}perhaps
    for (;;) c[1] = 1.0f;
  }
  // CHECK: write arg 0 (c) [8] 4 bytes
  c[2] = 2.0f;
}
