// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge-ptx %s | %FileCheck %s
// Constants of the program come along; private variables are the thread's own; divisions cannot trap.
__constant uint steps[4] = {1, 3, 5, 7};
__kernel void k(__global uint* out, __global const uint* perm, int d) {
  uint own[8];
  uint i = get_global_id(0);
  for (uint j = 0; j < 8; ++j) own[j] = perm[i * 8 + j];
  out[own[i % 8] * steps[i & 3] / d] = 1;
}
// CHECK: .global .align 4 .b8 steps_$_device[16] = {1, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 7};
// CHECK: .entry skmd_merge_k(
// CHECK: .local
// CHECK-NOT: call
// CHECK: st.global.b32
