// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// a·(W·w + l) + c, written out.
__kernel void k(__global const float* in, __global float* out) {
  // CHECK: access: contiguous
  int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  out[2 * i + 1] = in[2 * i];
}
