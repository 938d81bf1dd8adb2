// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// a·w + c
__kernel void k(__global const float4* in, __global float4* out, int first) {
  // CHECK: access: contiguous
  if (get_local_id(0) == 0) out[get_group_id(0) + first] = in[3 * get_group_id(0)];
}
