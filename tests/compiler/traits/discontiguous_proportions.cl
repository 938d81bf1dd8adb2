// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// 2W·w + l: a group's items leave holes that others fill.
__kernel void k(__global const float* in, __global float* out) {
  // CHECK: access: discontiguous
  out[get_group_id(0)] = in[get_group_id(0) * 2 * get_local_size(0) + get_local_id(0)];
}
