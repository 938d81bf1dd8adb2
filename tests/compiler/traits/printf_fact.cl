// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// printf's promotion to double is not the program's use of doubles.
__kernel void k(__global const float* a) {
  // CHECK: facts: printf uses_float{{$}}
  printf("%f", a[get_global_id(0)]);
}
