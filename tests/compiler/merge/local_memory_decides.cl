// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
__kernel void k(__global uint* out, __global const uint* in) {
  __local uint t[64];
  uint l = get_local_id(0);
  t[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[t[63 - l]] = l;
}
// CHECK: kernel k: no merge function: local memory decides where it stores
