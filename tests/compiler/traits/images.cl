// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
  // CHECK: facts: image_read image_written
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, s, at));
  // CHECK: read arg 0 (in) [anywhere]
  // CHECK: write arg 1 (out) [anywhere]
}
