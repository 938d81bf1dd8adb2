// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Ids that travel through int2 arithmetic are followed lane by lane.
__kernel void k(__global float* c, int width) {
  int2 at = (int2)(get_global_id(0), get_global_id(1)) + (int2)(1, 2);
  c[at.y * width + at.x] = 1.0f;
  // CHECK: write arg 0 (c) {{\[}}(long)(((int)global_id(1) + 2)*width + (int)global_id(0) + 1)*4] 4 bytes surely
}
