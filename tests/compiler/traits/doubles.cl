// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global double* a) {
  // CHECK: facts: doubles uses_float
  a[get_global_id(0)] = 1.0;
}
