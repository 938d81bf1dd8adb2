// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// Filled by a loop: there is no C library to call.
__kernel void k(__global uint* out, __global const uint* in) {
  uint t[64] = {0}, u[4] = {3, 1, 0, 2};
  uint i = get_global_id(0);
  for (uint k = 0; k < in[i]; ++k) t[in[k] & 63] += u[k & 3];
  out[t[i & 63]] = i;
}
// CHECK: kernel k: merge function, loads from in
// CHECK-NOT: llvm.mem
