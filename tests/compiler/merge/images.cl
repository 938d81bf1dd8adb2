// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// Images are merged by their rectangles alone, and are nothing that host code could read.
__kernel void k(read_only image2d_t in, __global uint* out, uint n) {
  out[get_global_id(0) * 3 % n] = read_imageui(in, (int2)(0, 0)).x;
}
// CHECK: kernel k: no merge function: it takes an image
