// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Layers of arrays are the dimension after the others; vectors are looked into.
// CHECK-NOT: image_written
__kernel void k(write_only image2d_array_t a, write_only image1d_array_t l, write_only image1d_buffer_t b, write_only image1d_t o) {
  int x = get_global_id(0), y = get_global_id(1);
  int2 at = (int2)(x, y) + (int2)(1, 2);
  write_imageui(a, (int4)(at, 3, 0), (uint4)(1));
  // CHECK: write arg 0 (a) [(long)((int)global_id(0) + 1)*a.element + (long)((int)global_id(1) + 2)*a.row_pitch + a.slice_pitch*3] {{.*}} if {{.*}} and (3 <u a.depth) surely
  write_imageui(l, (int2)(x, 5), (uint4)(1));
  // CHECK: write arg 1 (l) [(long)(int)global_id(0)*l.element + l.row_pitch*5] {{.*}} if ((int)global_id(0) <u l.width) and (5 <u l.height) surely
  write_imageui(b, x, (uint4)(1));
  // CHECK: write arg 2 (b) [(long)(int)global_id(0)*b.element]
  write_imageui(o, x, (uint4)(1));
  // CHECK: write arg 3 (o) [(long)(int)global_id(0)*o.element]
}
