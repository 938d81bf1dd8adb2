// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
__kernel void small(__global uint* out, __global const uint* in) {
  uint i = get_global_id(0), t[8];
  for (uint k = 0; k < 8; ++k) t[in[k + i] & 7] = k;
  out[t[i & 7]] = i;
}
// CHECK: kernel small: merge function, loads from in
__kernel void large(__global uint* out, __global const uint* in) {
  uint i = get_global_id(0), t[8192];
  for (uint k = 0; k < 8192; ++k) t[in[k + i] & 8191] = k;
  out[t[i & 8191]] = i;
}
// CHECK: kernel large: no merge function: its private variables are too large
