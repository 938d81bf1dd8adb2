// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// A loop that only computes goes, though floating point ends it early.
__kernel void k(__global float* out, __global const float* a, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    if (sum > 1e9f) break;
    sum += a[i * n + k];
  }
  out[i * 3 % n] = sum;
}
// CHECK: kernel k: merge function, loads from nothing
// CHECK-NOT: fcmp
// CHECK-NOT: fadd
// CHECK: store i32
// CHECK-NOT: fadd
