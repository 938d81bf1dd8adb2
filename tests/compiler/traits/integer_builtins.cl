// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* c, int n) {
  int i = get_global_id(0);
  c[mad24(i, n, max(i, 3))] = 1.0f;
  // CHECK: write arg 0 (c) [(long)(n*(int)global_id(0) + max((int)global_id(0), 3))*4] 4 bytes surely
}
