// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// The launch decides what an image's extents are: they are no bytes of memory.
// CHECK: kernel one
// CHECK-NOT: memory_decides_address
__kernel void one(write_only image2d_t out) {
  int i = get_global_id(0), w = get_image_width(out);
  write_imageui(out, (int2)(i % w, i / w), (uint4)(1));
  // CHECK: write arg 0 (out) [(long)((int)global_id(0) % out.width)*out.element
}
__kernel void two(write_only image2d_t out) {
  int2 size = get_image_dim(out), at = (int2)(get_global_id(0), get_global_id(1));
  if (at.x < size.x && at.y < size.y) write_imageui(out, at, (uint4)(1));
  // CHECK: if (out.width > (int)global_id(0)) and (out.height > (int)global_id(1))
}
__kernel void three(write_only image2d_array_t out) {
  if (get_global_id(1) < get_image_array_size(out))
    write_imageui(out, (int4)(get_global_id(0), 0, get_global_id(1), 0), (uint4)(1));
  // CHECK: if (global_id(1) <u out.depth)
}
