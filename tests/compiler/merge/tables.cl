// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
__constant uint table[4] = {3, 1, 0, 2};
__kernel void k(__global uint* out, uint n) {
  uint i = get_global_id(0);
  out[table[i % 4] + i / 4 * 4] = i;
}
// CHECK: kernel k: merge function, loads from nothing
// CHECK: @table = internal addrspace(2) constant [4 x i32] [i32 3, i32 1, i32 0, i32 2]
