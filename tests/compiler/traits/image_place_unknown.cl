// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(write_only image2d_t out, __global int* where) {
  // CHECK: facts: image_written memory_decides_address
  write_imageui(out, (int2)(where[get_global_id(0)], 0), (uint4)(1));
  // CHECK: write arg 0 (out) [anywhere]
}
