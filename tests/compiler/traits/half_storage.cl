// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// vload_half3 steps by 3 halves, vloada_half3 and vstorea_half3 by 4.
__kernel void k(__global const half* a, __global half* c) {
  size_t i = get_global_id(0);
  vstore_half(vload_half(i, a), i, c);
  // CHECK: read arg 0 (a) [global_id(0)*2] 2 bytes surely
  // CHECK: write arg 1 (c) [global_id(0)*2] 2 bytes surely
  vstorea_half3(vload_half3(i, a), i, c);
  // CHECK: read arg 0 (a) [global_id(0)*6] 6 bytes of 2 surely
  // CHECK: write arg 1 (c) [global_id(0)*8] 8 bytes of 2 perhaps
  vstore_half4_rtz(vloada_half4(i, a), i, c);
  // CHECK: read arg 0 (a) [global_id(0)*8] 8 bytes of 2 surely
  // CHECK: write arg 1 (c) [global_id(0)*8] 8 bytes of 2 surely
}
