// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// int i: the id is cut to 32 bits and extended with its sign, so that a wrap is seen when the launch is known.
__kernel void k(__global float* c, int n) {
  int i = get_global_id(0);
  c[i * n] = 1.0f;
  // CHECK: write arg 0 (c) [(long)(n*(int)global_id(0))*4] 4 bytes surely
}
