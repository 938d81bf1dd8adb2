// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
__kernel void k(__global long* c) {
  // CHECK: facts: global_atomics{{$}}
  atom_add(c + get_global_id(0), 3L);
  // CHECK: atomic add arg 0 (c) [global_id(0)*8] 8 bytes surely
}
