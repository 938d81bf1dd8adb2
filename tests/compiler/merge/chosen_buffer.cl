// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// Each store has to go through one argument.
__kernel void k(__global uint* a, __global uint* b, __global const uint* in) {
  uint i = get_global_id(0);
  __global uint* p = a;
  for (uint n = in[i]; n > 0; n /= 2) p = p == a ? b : a;
  p[i * 3] = i;
}
// CHECK: kernel k: no merge function: it {{stores or loads through pointers that are not known here|compares pointers}}
