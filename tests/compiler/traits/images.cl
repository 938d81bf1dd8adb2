// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Reads take the whole image; a write is at its coordinates' place in the image's bytes, if it is inside.
__kernel void k(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
  // CHECK-NOT: image_read
  // CHECK-NOT: image_written
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, s, at));
  // CHECK: read arg 0 (in) [anywhere]
  // CHECK: write arg 1 (out) [(long)(int)global_id(0)*out.element + (long)(int)global_id(1)*out.row_pitch] 1 * (out.element) bytes of 0 if ((int)global_id(0) <u out.width) and ((int)global_id(1) <u out.height) surely
}
