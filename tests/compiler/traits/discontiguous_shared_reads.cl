// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Every item reads all positions.
__kernel void k(__global const float* in, __global float* out, int n) {
  // CHECK: access: discontiguous
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += in[k];
  out[get_global_id(0)] = sum;
}
