// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* a, __global float* b, int n) {
  size_t i = get_global_id(0);
  if (n > 4) {
    a[i] = 1.0f;
    // CHECK: write arg 0 (a) [global_id(0)*4] 4 bytes if (n > 4) surely
  } else {
    b[i] = 1.0f;
    // CHECK: write arg 1 (b) [global_id(0)*4] 4 bytes if not (n > 4) surely
  }
}
