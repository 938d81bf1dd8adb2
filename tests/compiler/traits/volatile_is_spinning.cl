// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global volatile int* flag, __global int* c) {
  // CHECK: facts: spinning
  c[get_global_id(0)] = *flag;
}
