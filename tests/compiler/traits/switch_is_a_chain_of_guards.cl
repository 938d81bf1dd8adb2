// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* a, __global float* b, int n) {
  size_t i = get_global_id(0);
  switch (n) {
    case 10: a[i] = 1.0f; break;
    // CHECK-DAG: write arg 0 (a) [global_id(0)*4] 4 bytes if (n == 10) and (n < 700) surely
    case 700: b[i] = 1.0f; break;
    // CHECK-DAG: write arg 1 (b) [global_id(0)*4] 4 bytes if (n == 700) and not (n < 700) surely
  }
}
