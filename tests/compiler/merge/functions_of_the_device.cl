// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// What LLVM does not know how to compute is not computed again here.
__kernel void k(__global uint* out, __global const uint* in) {
  uint i = get_global_id(0);
  out[rhadd(in[i], i)] = i;
}
// CHECK: kernel k: no merge function: it calls a function of the device
