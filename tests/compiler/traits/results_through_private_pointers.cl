// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// The same functions with a private pointer touch no buffer.
__kernel void k(__global float* f) {
  float whole;
  f[get_global_id(0)] = modf(1.5f, &whole) + whole;
  // CHECK: write arg 0 (f) [global_id(0)*4] 4 bytes surely
  // CHECK-NOT: write
}
