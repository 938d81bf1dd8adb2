// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Reading on until floating point ends it moves no result.
__kernel void k(__global const float* table, __global float* c, float x, int n) {
  // CHECK: facts: memory_decides_address uses_float data_decides_work{{$}}
  float last = 0;
  for (int k = 0; k < n && last < x; ++k) last += table[k];
  if (last > 3.0f) c[get_global_id(0)] = last;
}
