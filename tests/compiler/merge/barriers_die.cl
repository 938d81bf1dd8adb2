// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// Local memory and barriers go with the computation that they served.
__kernel void k(__global float* out, __global const float* in, __local float* t, int n) {
  int l = get_local_id(0);
  t[l] = in[get_global_id(0)];
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < s) t[l] += t[l + s];
  }
  if (l == 0) out[get_group_id(0) * 7 % n] = t[0];
}
// CHECK: kernel k: merge function, loads from nothing
// CHECK-NOT: barrier
// CHECK-NOT: addrspace(3)
// CHECK: store i32
// CHECK-NOT: barrier
