// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
typedef struct { uint a[8]; uchar b; } big;
__kernel void k(__global big* out, __global const big* in, __global const uint* where) {
  uint i = get_global_id(0);
  out[where[i]] = in[i];
}
// CHECK: kernel k: merge function, loads from where
