// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Two bases change places in a loop: either, anywhere.
__kernel void k(__global float* a, __global float* b, int n) {
  for (int k = 0; k < n; ++k) {
    a[get_global_id(0)] = 1.0f;
    // CHECK-DAG: write arg 0 (a) [anywhere] 4 bytes in i0 {{.*}}perhaps
    // CHECK-DAG: write arg 1 (b) [anywhere] 4 bytes in i0 {{.*}}perhaps
    __global float* other = a;
    a = b;
    b = other;
  }
}
