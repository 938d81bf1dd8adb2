// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global const float* a, __global int* c) {
  size_t i = get_global_id(0);
  float4 v = vload4(i, a + 1);
  vstore3(convert_int3(v.xyz), i, c);
  // CHECK: read arg 0 (a) [global_id(0)*16 + 4] 16 bytes of 4 surely
  // CHECK: write arg 1 (c) [global_id(0)*12] 12 bytes of 4 surely
}
