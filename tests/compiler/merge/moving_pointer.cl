// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// A pointer that moves stays in its buffer.
__kernel void k(__global uint* out, __global const uint* where, uint n) {
  uint i = get_global_id(0);
  __global uint* end = out + where[i] + n;
  for (__global uint* p = out + where[i]; p < end; p += 2) *p = i;
}
// CHECK: kernel k: merge function, loads from where
