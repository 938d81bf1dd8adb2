// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
__kernel void k(read_only image2d_t in, __global float4* c) {
  // CHECK: facts: uses_float
  c[get_global_id(0)] = read_imagef(in, nearest, (int2)(get_global_id(0), 0));
  // CHECK: read arg 0 (in) [anywhere]
  // CHECK: write arg 1 (c) [global_id(0)*16] 16 bytes of 4 surely
}
